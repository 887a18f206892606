// Rules that come back to themselves at the end of the input, which is still
// there when EOF has matched it.
grammar recursion_end;

start : a | d | f | h ;

a : b a | ;                // ERROR "^infinite recursion at the end of the input, where EOF consumes nothing: a -> a$"
b : 'b' | c? EOF ;
c : 'c' ;

d : (e EOF | 'd') d ;      // ERROR "^infinite recursion at the end of the input, where EOF consumes nothing: d -> d$" // WARNING "^rule d derives nothing: every alternative recurses"
e : ;

f : f EOF | 'f' ;          // ERROR "^alternative of left-recursive rule f can match only EOF after its left operand$"
h : h g | 'h' EOF h ;      // ERROR "^alternative of left-recursive rule h can match only EOF after its left operand$" // WARNING "^rule h derives nothing: every alternative recurses"
g : 'g'? EOF? EOF ;
