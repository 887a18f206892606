lexer grammar L;
channels { NOTES }

A : 'a' -> mode(M) ;
B : 'b' -> mode(N) ;                     // ERROR "^mode\(N\): undefined mode$"
C : 'c' -> pushMode(2), channel(NOTE) ;  // ERROR "^pushMode\(2\): undefined mode$" // ERROR "^channel\(NOTE\): undefined channel$"
D : 'd' -> type(X) ;                     // ERROR "^type\(X\): undefined token$"
   
mode M;
E : 'e' -> type(0) ;                     // ERROR "^type\(0\): undefined token$"
F : 'f' -> pushMode(0), type(1), channel(70000) ; // ERROR "^channel\(70000\): undefined channel$"
G : 'g' -> channel(NOTES) ;
H : 'h' -> channel(HIDDEN), mode(DEFAULT_MODE) ;
I : 'i' -> mode(1), channel(2) ;
