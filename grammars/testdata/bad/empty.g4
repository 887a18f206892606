// Rules that derive nothing, and tokens that are nothing.
grammar empty;
tokens { MADE, UNMADE }

start : a | b | 'x' start | c | MADE+ | 'y' | WHITE ;
a : 'a' a ;                    // WARNING "^rule a derives nothing: there is no end to any of its alternatives$"
b : UNMADE b | UNMADE ;        // WARNING "^rule b derives nothing: every alternative needs a token that no rule makes$" // WARNING "^token UNMADE is declared, but no rule makes it; nothing will match it$"
c : d e ;                      // WARNING "^rule c derives nothing: there is no end to any of its alternatives$"
d : 'd' ;
e : ('e' c | 'f' e)+ ;         // WARNING "^rule e derives nothing: there is no end to any of its alternatives$"

MAKER : 'm' -> type(MADE) ;
WHITE : [ \t]* ;               // WARNING "^token WHITE can match nothing at all; that match is never taken$"
fragment LOOP : 'l' LOOP ;     // WARNING "^rule LOOP derives nothing: there is no end to any of its alternatives$" // WARNING "^fragment LOOP is not used by any token$"
