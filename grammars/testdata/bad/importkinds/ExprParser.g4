parser grammar ExprParser;
options { tokenVocab = ExprLexer; }
import Helper, Words;           // ERROR "^import Words: must be a parser grammar, like ExprParser$"
e : E ;
