// Literals that stand for no one token.
grammar literals;

a : '+'                         // ERROR "^literal '\+' could be any of several tokens: PLUS, ADD, SUM; refer to one of them by name$"
  | ~('-' | '*')                // ERROR "^literal '-' could be any of several tokens: MINUS, NEGATIVE; "
  | 'x' ;

PLUS : '+' ;
ADD : '+' ;
SUM : '+' -> mode(DEFAULT_MODE) ;
MINUS : '-' ;
NEGATIVE : '-' ;
TIMES : '*' ;
POWER : '*' '*' ;
