parser grammar Statements;
import Expressions;
tokens { LABEL }

statement : NAME '=' expr ';' | block | LABEL ;
block : '{' statement* '}' ;
