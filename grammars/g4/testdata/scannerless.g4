grammar scannerless;
options { scannerless = true; }
a : B{2} [a-z]{1,3} ('x' | 'y'..'z'){,4} ~[\n]{5,} ;
fragment B : 'b' a ~'c' {code} ;
WS : [ \t]+ -> skip ; // WARNING "lexer commands have no effect in a scannerless grammar"
c : 'c'{3,2} ; // ERROR "the lower bound must not exceed the upper bound"
d : 'd'{0} ; // ERROR "the upper bound must be at least 1"
e : 'e'{1001} ; // ERROR "bounds must be at most 1000"
f : 'f'{2}{3} ; // ERROR "cannot follow another suffix without parentheses"
g : ~'ab' ; // ERROR "~ applies only to single characters"
