// Drawings: named values, loops, groups and shapes.
grammar draw;

drawing : statement* EOF ;

statement
    : 'let' NAME '=' expr ';'
    | 'repeat' expr block
    | 'if' condition block ('else' block)?
    | 'group' STRING block
    | 'draw' shape ('at' point)? style* ';'
    | 'undo' ';'
    ;

block : '{' statement* '}' ;

condition : expr ('<' | '>' | '==') expr ;

shape
    : 'circle' expr
    | 'box' expr ',' expr
    | 'line' point point
    | 'path' point (',' point)+
    | 'text' STRING
    ;

point : '(' expr ',' expr ')' ;

style : 'fill' color | 'stroke' color expr? | 'dashed' ;

color : COLOR | NAME ;

expr
    : expr ('*' | '/') expr
    | expr ('+' | '-') expr
    | '-' expr
    | NUMBER
    | NAME
    | '(' expr ')'
    ;

COLOR : '#' HEX HEX HEX+ ;
NUMBER : [0-9]+ ;
NAME : [a-z]+ ;
STRING : '"' ~["\r\n]* '"' ;
WS : [ \t\r\n]+ -> skip ;

fragment HEX : [0-9a-f] ;
