parser grammar ToyParser;
options { tokenVocab = Absent; } // WARNING "^no file given is the tokenVocab Absent; tokens are taken from ToyLexer$"
tokens { DECLARED }
a : A '+'
  | '-'                         // ERROR "^literal '-' is not a token of lexer grammar ToyLexer$"
  | UNKNOWN                     // WARNING "^token UNKNOWN is not defined anywhere; nothing will match it$"
  | DECLARED
  ;
