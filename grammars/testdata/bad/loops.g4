// Repetitions that could go on forever without taking anything.
grammar loops;

a : b*                          // ERROR "^rule a repeats something that can be empty; a parser could go on forever$"
    TOKEN? OTHER? PARTS?
    d? e? ('x' | f)*            // WARNING "^rule a makes optional what can be empty anyway$" // ERROR "^rule a repeats something that can be empty"
    (EOF)*                      // ERROR "^rule a repeats something that can be the end of the input alone; a parser could go on forever$"
    g+                          // ERROR "^rule a repeats something that can be the end of the input alone"
    (EOF 'x')* h* EOF?
    (d EOF?)+                   // ERROR "^rule a repeats something that can be empty"
    ;
b : 'b'? ;
d : 'd'? ;
e : 'e' ;
f : ;
g : 'g'? (EOF | i) ;
h : ('h' EOF)* ('i' EOF | 'j') ;
i : 'i' ;

TOKEN : ('t'* 'u'?)+ ;          // WARNING "can match nothing at all" // ERROR "^rule TOKEN repeats something that can be empty"
OTHER : ('o' | PART)* ;         // WARNING "can match nothing at all" // ERROR "^rule OTHER repeats something that can be empty"
fragment PART : 'p'* ;
PARTS : (PART?)? 'q' ;
SPACE : (' '* EOF)* ' ' -> skip ; // ERROR "^rule SPACE repeats something that can be the end of the input alone"
