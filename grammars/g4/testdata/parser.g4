parser grammar Parser;
a : A ;
A : 'a' ; // ERROR "lexer rule A in a parser grammar"
