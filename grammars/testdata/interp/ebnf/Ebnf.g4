// Repetitions and options, greedy and not, nested, of everything.
grammar Ebnf;

start : a b? c* d+ e?? f*? g+? EOF ;
a : (A B)? (A | B)* (A | B C)+ (A? B)* ;
b : ((A B)* C)+ | (A (B (C | A)?)*)? B ;
c : A (',' A)* ','? ;
d : (A | (B | (C | A B))) (A)? ((B)) ;
e : (A B)?? C | (A | B C)*? A | (A | B C)+? B ;
f : ~A*? C | .*? C | .+? B | .? A ;
g : ('x' | 'y')+ ('x' | 'y' A)* ('x')? ;

A : 'a' 'b'* 'c'+ 'd'? ;
B : '/*' .*? '*/' | '//' ~[\n]* ;
C : ('c' | 'cc' | [d-f] 'x')+? ';' | ('p' ('q' | 'r')*)+ | 'z'?? 'y' ;
D : (('a' | 'b') | 'c')* 'd' ;
