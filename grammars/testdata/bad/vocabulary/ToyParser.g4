parser grammar ToyParser;
options { tokenVocab = Absent; } // WARNING "^tokenVocab Absent: not among the given lexer grammars; using the tokens of ToyLexer$"
tokens { DECLARED }
a : A '+'
  | '-'                         // ERROR "^literal '-' is not a token of lexer grammar ToyLexer$"
  | UNKNOWN                     // WARNING "^undefined token UNKNOWN; it never matches$"
  | DECLARED
  ;
