// Literals of parser rules become lexer rules with names like T__0.
grammar reserved;

a : 'a' T__0 T__1 | 'b' ;

T__0 : '0' ;                    // ERROR "^rule name T__0 is reserved for the implicit lexer rule of 'a'"
T__1 : [1] ;                    // ERROR "^rule name T__1 is reserved for the implicit lexer rule of 'b'"
T__2 : [2] ;
