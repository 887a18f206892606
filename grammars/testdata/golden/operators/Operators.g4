// Left recursion in two rules, labels, and the end of the input.
grammar Operators;

start : sum EOF ;
sum : <assoc=right> sum '^' sum # power
    | '-' sum                   # minus
    | sum op=('+' | '-') sum    # plus
    | sum '!'                   # factorial
    | args                      # list
    | X                         # name
    ;
args : '(' ')' | '(' args_ ')' ;
args_ : args_ ',' sum | sum ;
unused : X EOF | EOF ;

X : [a-z] ;
