lexer grammar L;
channels { NOTES }

A : 'a' -> mode(M) ;
B : 'b' -> mode(N) ;                     // ERROR "^mode\(N\): there is no such mode$"
C : 'c' -> pushMode(2), channel(NOTE) ;  // ERROR "^pushMode\(2\): there is no such mode$" // ERROR "^channel\(NOTE\): there is no such channel$"
D : 'd' -> type(X) ;                     // ERROR "^type\(X\): there is no such token$"
   
mode M;
E : 'e' -> type(0) ;                     // ERROR "^type\(0\): there is no such token$"
F : 'f' -> pushMode(0), type(1), channel(70000) ; // ERROR "^channel\(70000\): there is no such channel$"
G : 'g' -> channel(NOTES) ;
H : 'h' -> channel(HIDDEN), mode(DEFAULT_MODE) ;
I : 'i' -> mode(1), channel(2) ;
