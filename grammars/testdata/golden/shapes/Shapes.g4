// Everything that nodes are made of.
grammar Shapes;
options { caseInsensitive = true; }

start : a? b* c+ d*? e | ;
a : ((A)) | (A | B) (A B)? ;
b : . | ~(A | B) | ~A ;
c : 'key' | 'Key' ;
d : A {code} | (B | ) A ;
e : ;

A : [a-cx\p{Nd}.] | 'k'..'m' | ~[p-r] | . ;
B : (C | 'bb')+? EOF ;
fragment C : [c] | 'c1' | ~'c' D* ;
fragment D : [ddd-e] ;
