lexer grammar ModesLexer;
A : 'a' -> mode(ONE) ;
mode ONE;
B : 'b' -> pushMode(2) ;
mode TWO;
C : 'c' -> popMode ;
mode THREE;
D : 'd' ;                       // WARNING "^token D never matches: no rule enters mode THREE$"
E : 'e' -> mode(ONE) ;          // WARNING "^token E never matches: no rule enters mode THREE$"
