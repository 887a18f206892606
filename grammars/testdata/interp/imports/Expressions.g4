parser grammar Expressions;

expr : NAME ;
call : NAME '(' args? ')' ;
args : expr (',' expr)* ;
