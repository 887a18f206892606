// Literals of parser rules become lexer rules with names like T__0.
grammar reserved;

a : 'a' T__0 T__1 | 'b' ;

T__0 : '0' ;                    // ERROR "^rule T__0 has the name of the lexer rule that stands for 'a'"
T__1 : [1] ;                    // ERROR "^rule T__1 has the name of the lexer rule that stands for 'b'"
T__2 : [2] ;
