grammar ReservedNames;
s : A EOF ;
A : 'a' ;
EOF : 'b' ; // ERROR "^rule EOF has a name that means something else$"
SKIP : 'c' -> skip ; // ERROR "^rule SKIP has a name that means something else$"
