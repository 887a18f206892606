// Names that nothing stands behind.
grammar undefined;

a : b                     // ERROR "^rule b is not defined$"
  | x=c* ('+' d? | e)     // ERROR "^rule c is not defined$" // ERROR "^rule d is not defined$" // ERROR "^rule e is not defined$"
  | F                     // WARNING "^token F is not defined anywhere; nothing will match it$"
  | ~(F | G)              // WARNING "^token G is not defined anywhere; nothing will match it$"
  | H
  ;

H : I J? (K | ~[k])+ ;    // ERROR "^lexer rule I is not defined$" // ERROR "^lexer rule K is not defined$"
fragment J : L ;          // ERROR "^lexer rule L is not defined$"
