// Rules that come back to themselves before anything is taken.
grammar recursion;

start : a | e | g | i | k | n | p | r | t | v | x | A | C ;

a : b 'a' ;                // ERROR "^unsupported left recursion: a -> b -> c -> a; "
b : c | 'b' ;
c : 'c'? EOF? d? a ;
d : 'd' ;

e : f ;                    // ERROR "^unsupported left recursion: e -> f -> e; "
f : e? 'f' ;

g : g 'g'? | 'h' ;         // ERROR "^alternative of left-recursive rule g can match nothing after its left operand$"
i : i | 'i' ;              // ERROR "^alternative of left-recursive rule i can match nothing after its left operand$"
k : k 'k' | k 'l' ;        // ERROR "^every alternative of rule k is left-recursive; at least one must not be$"
n : n 'n' n | o? ;         // ERROR "unsupported left recursion: n -> o -> n; "
o : n 'o' ;
p : (p) 'p' | 'q' ;        // ERROR "^unsupported left recursion: p -> p; "
r : {code} r 'r' | 's' ;   // ERROR "^unsupported left recursion: r -> r; "
t : ('t' | t 'u') ;        // ERROR "^unsupported left recursion: t -> t; "
v : v 'v' | | 'w' ;
x : x y* x | 'x' ;
y : x | z ;
z : 'z' ;

A : B 'a' ;                // ERROR "^unsupported left recursion: A -> B -> A; "
fragment B : A | 'b' ;
C : ('c' C)+ | C ;         // WARNING "^rule C derives nothing: every alternative recurses" // ERROR "^unsupported left recursion: C -> C; "
