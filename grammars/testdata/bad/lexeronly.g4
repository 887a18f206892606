lexer grammar lexeronly;        // ERROR "^grammar lexeronly has no parser rules; give the parser grammar as well$"
A : 'a' ;
