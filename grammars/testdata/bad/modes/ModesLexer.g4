lexer grammar ModesLexer;
A : 'a' -> mode(ONE) ;
mode ONE;
B : 'b' -> pushMode(2) ;
mode TWO;
C : 'c' -> popMode ;
mode THREE;
D : 'd' ;                       // WARNING "^token D can never be matched: no rule leads to mode THREE$"
E : 'e' -> mode(ONE) ;          // WARNING "^token E can never be matched: no rule leads to mode THREE$"
