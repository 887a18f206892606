// Lexer rules that use each other, and themselves.
grammar Fragments;

start : (COMMENT | STRING | NUMBER | LISP)* EOF ;

COMMENT : '/*' (COMMENT | .)*? '*/' ;
STRING : '"' (ESC | ~["\\])* '"' ;
fragment ESC : '\\' (["\\/bfnrt] | UNICODE) ;
fragment UNICODE : 'u' HEX HEX HEX HEX ;
fragment HEX : [0-9a-fA-F] ;
NUMBER : INT ('.' DIGITS)? ;
fragment INT : '0' | [1-9] DIGITS? ;
fragment DIGITS : [0-9]+ ;
LISP : NESTED ;
fragment NESTED : '(' (NESTED | ATOM | ' ')* ')' ;
fragment ATOM : [a-z] ATOM? ;
