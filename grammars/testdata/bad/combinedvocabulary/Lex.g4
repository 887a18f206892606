lexer grammar Lex;              // WARNING "^grammar Lex is not used by any other file$"
A : 'a' ;
B : 'b' ;
