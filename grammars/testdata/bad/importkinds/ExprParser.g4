parser grammar ExprParser;
options { tokenVocab = ExprLexer; }
import Helper, Words;           // ERROR "^import Words: it is not a parser grammar as ExprParser is$"
e : E ;
