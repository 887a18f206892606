grammar ReservedNames;
s : A EOF ;
A : 'a' ;
EOF : 'b' ; // ERROR "^rule name EOF is reserved$"
SKIP : 'c' -> skip ; // ERROR "^rule name SKIP is reserved$"
