lexer grammar ToyLexer;
A : 'a' ;
PLUS : '+' ;
