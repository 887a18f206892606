// Rules that come back to themselves before anything is taken.
grammar recursion;

start : a | e | g | i | k | n | p | r | t | v | x | A | C ;

a : b 'a' ;                // ERROR "^left recursion that no parser can follow: a -> b -> c -> a; "
b : c | 'b' ;
c : 'c'? EOF? d? a ;
d : 'd' ;

e : f ;                    // ERROR "^left recursion that no parser can follow: e -> f -> e; "
f : e? 'f' ;

g : g 'g'? | 'h' ;         // ERROR "^alternative of left-recursive rule g can take nothing after its left operand$"
i : i | 'i' ;              // ERROR "^alternative of left-recursive rule i can take nothing after its left operand$"
k : k 'k' | k 'l' ;        // ERROR "^left-recursive rule k has no alternative that is not left-recursive$"
n : n 'n' n | o? ;         // ERROR "left recursion that no parser can follow: n -> o -> n; "
o : n 'o' ;
p : (p) 'p' | 'q' ;        // ERROR "^left recursion that no parser can follow: p -> p; "
r : {code} r 'r' | 's' ;   // ERROR "^left recursion that no parser can follow: r -> r; "
t : ('t' | t 'u') ;        // ERROR "^left recursion that no parser can follow: t -> t; "
v : v 'v' | | 'w' ;
x : x y* x | 'x' ;
y : x | z ;
z : 'z' ;

A : B 'a' ;                // ERROR "^left recursion that no parser can follow: A -> B -> A; "
fragment B : A | 'b' ;
C : ('c' C)+ | C ;         // WARNING "^rule C derives nothing: there is no end" // ERROR "^left recursion that no parser can follow: C -> C; "
