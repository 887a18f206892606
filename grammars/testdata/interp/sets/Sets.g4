// Sets of tokens and of characters, negated and not, and what is folded into one.
grammar Sets;

start : one two three* EOF ;
one : A | B | 'c' ;
two : ~A | ~(A | B) ~('c' | D) . ;
three : (A | B) (A | 'c' | D)* x=(A | B) y=~B | A | (A | B C?) ;
four : A # first | B # second ;
five : (A) | (B) ;

A : 'a' | 'b' | 'c' ;
B : 'a'..'f' | 'x' | [0-9_] ;
C : [a-zA-Z_] [-+*/\]\\]* [\-a\n\t\r ] ;
D : ~'a' ~[bc] ~('d' | 'e'..'g' | [hi]) . ;
E : ('a' | 'b')+ ('0'..'9' | '_' | 'xy')? ('a' | [b-d] | 'e' | ~'f') ;
F : [aab-dc] | [\]] | [^&] | ["'] ;
fragment G : [a] | [b] | [c-e] ;
H : G ('x' | G | 'y' | 'z') ;
