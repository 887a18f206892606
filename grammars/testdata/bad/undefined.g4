// Names that nothing stands behind.
grammar undefined;

a : b                     // ERROR "^undefined rule b$"
  | x=c* ('+' d? | e)     // ERROR "^undefined rule c$" // ERROR "^undefined rule d$" // ERROR "^undefined rule e$"
  | F                     // WARNING "^undefined token F; it never matches$"
  | ~(F | G)              // WARNING "^undefined token G; it never matches$"
  | H
  ;

H : I J? (K | ~[k])+ ;    // ERROR "^undefined lexer rule I$" // ERROR "^undefined lexer rule K$"
fragment J : L ;          // ERROR "^undefined lexer rule L$"
