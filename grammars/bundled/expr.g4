// Arithmetic expressions: a small subset of JavaScript's, with numbers and three
// variables. A blank must separate signs that would otherwise be one token, as in
// + +x.
grammar expr;

expr : addExpr EOF ;

addExpr
    : multExpr
    | addExpr ('+' | '-') multExpr
    ;

multExpr
    : unaryExpr
    | multExpr ('*' | '/' | '%') unaryExpr
    ;

unaryExpr
    : identifier
    | '+' unaryExpr
    | '-' unaryExpr
    | '++' unaryExpr
    | '--' unaryExpr
    | '(' addExpr ')'
    | decDigits
    ;

decDigits : decDigit+ ;

decDigit : '0' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9' ;

identifier : 'x' | 'y' | 'z' ;

SPACE : [ \t\r\n]+ -> skip ;
