// Repetitions that could go on forever without taking anything.
grammar loops;

a : b*                          // ERROR "^rule a repeats an element that can be empty; the parser would loop forever$"
    TOKEN? OTHER? PARTS?
    d? e? ('x' | f)*            // WARNING "^rule a makes an element optional that can already be empty$" // ERROR "^rule a repeats an element that can be empty"
    (EOF)*                      // ERROR "^rule a repeats an element that can match only EOF; the parser would loop forever$"
    g+                          // ERROR "^rule a repeats an element that can match only EOF"
    (EOF 'x')* h* EOF?
    (d EOF?)+                   // ERROR "^rule a repeats an element that can be empty"
    ;
b : 'b'? ;
d : 'd'? ;
e : 'e' ;
f : ;
g : 'g'? (EOF | i) ;
h : ('h' EOF)* ('i' EOF | 'j') ;
i : 'i' ;

TOKEN : ('t'* 'u'?)+ ;          // WARNING "can match the empty string" // ERROR "^rule TOKEN repeats an element that can be empty"
OTHER : ('o' | PART)* ;         // WARNING "can match the empty string" // ERROR "^rule OTHER repeats an element that can be empty"
fragment PART : 'p'* ;
PARTS : (PART?)? 'q' ;
SPACE : (' '* EOF)* ' ' -> skip ; // ERROR "^rule SPACE repeats an element that can match only EOF"
