// Imports of rules and tokens, directly and by another import; what comes first stands.
grammar Main;
import Statements, Words;

start : statement* EOF ;
expr : NAME | NUMBER | '(' expr ')' ;
NAME : [a-z]+ ;
