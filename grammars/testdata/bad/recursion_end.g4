// Rules that come back to themselves at the end of the input, which is still
// there when EOF has matched it.
grammar recursion_end;

start : a | d | f | h ;

a : b a | ;                // ERROR "^recursion that no parser can follow at the end of the input, which is not used up by EOF: a -> a$"
b : 'b' | c? EOF ;
c : 'c' ;

d : (e EOF | 'd') d ;      // ERROR "^recursion that no parser can follow at the end of the input, which is not used up by EOF: d -> d$" // WARNING "^rule d derives nothing: there is no end"
e : ;

f : f EOF | 'f' ;          // ERROR "^alternative of left-recursive rule f can take nothing but the end of the input after its left operand$"
h : h g | 'h' EOF h ;      // ERROR "^alternative of left-recursive rule h can take nothing but the end of the input after its left operand$" // WARNING "^rule h derives nothing: there is no end"
g : 'g'? EOF? EOF ;
