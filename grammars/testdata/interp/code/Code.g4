// Predicates and actions, which count as true and as nothing.
grammar Code;
@header { package x; }
@parser::members { int depth; }

start locals [int i] @init { i = 0; } : { i++; } a[1] { done(); } b[3] EOF ;
a[int i] : {p()}? A | {$i > 0}? B | A {x} {y} B | { only } | {q()}? ;
b[int n] returns [int v] : {n > 1}? b2 {v = 1;} | B ;
b2 : A ; catch [Exception e] { } finally { }
e returns [int v] : e {f()}? '*' e {$v = 2;} | {g()}? e2 | '-' e {h()} | A ;
e2 : B ;

A : 'a' {one();} {two();} | {isB()}? 'b' ;
B : {c()} 'c' {one();} -> skip ;
C : 'c' C2 ;
fragment C2 : {d()}? 'd' {e();} ;
