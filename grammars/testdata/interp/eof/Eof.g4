// The end of the input in parser and lexer rules, and empty alternatives.
grammar Eof;

start : line* (EOF | 'end' EOF) ;
line : A NL | NL | A (NL | EOF) A ;
empty : ;
some : | A | 'x' some | ;
nested : (A | ) (| 'y')? ( | 'z')? A ;
choice : A (B | EOF | C) ;

A : 'a' (B | EOF) ;
B : 'b' ;
C : 'c' EOF? ;
NL : '\n' | EOF ;
D : 'd' | ;
