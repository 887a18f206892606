lexer grammar Modes;

channels { X, Y }
A : 'a' -> pushMode(M) ;
p : A ; // ERROR "parser rule p in a lexer grammar"
mode M; // ERROR "mode M needs at least one rule that is not a fragment"
fragment F : 'f' ;
mode DEFAULT_MODE;
B : 'b' ;
mode N; // ERROR "mode N needs at least one rule that is not a fragment"
