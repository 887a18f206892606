// Literals that stand for no one token.
grammar literals;

a : '+'                         // ERROR "^ambiguous literal '\+': it could be any of the tokens PLUS, ADD, SUM; refer to one of them by name$"
  | ~('-' | '*')                // ERROR "^ambiguous literal '-': it could be any of the tokens MINUS, NEGATIVE; "
  | 'x' ;

PLUS : '+' ;
ADD : '+' ;
SUM : '+' -> mode(DEFAULT_MODE) ;
MINUS : '-' ;
NEGATIVE : '-' ;
TIMES : '*' ;
POWER : '*' '*' ;
