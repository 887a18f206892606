lexer grammar Lex;              // WARNING "^grammar Lex is not used: no other file needs it$"
A : 'a' ;
B : 'b' ;
