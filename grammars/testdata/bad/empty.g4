// Rules that derive nothing, and tokens that are nothing.
grammar empty;
tokens { MADE, UNMADE }

start : a | b | 'x' start | c | MADE+ | 'y' | WHITE ;
a : 'a' a ;                    // WARNING "^rule a derives nothing: every alternative recurses forever$"
b : UNMADE b | UNMADE ;        // WARNING "^rule b derives nothing: every alternative needs a token that no lexer rule produces$" // WARNING "^token UNMADE is declared, but no lexer rule produces it; it never matches$"
c : d e ;                      // WARNING "^rule c derives nothing: every alternative recurses forever$"
d : 'd' ;
e : ('e' c | 'f' e)+ ;         // WARNING "^rule e derives nothing: every alternative recurses forever$"

MAKER : 'm' -> type(MADE) ;    // WARNING "^type.MADE.: the ANTLR tool rejects a token without a lexer rule in a combined grammar$"
WHITE : [ \t]* ;               // WARNING "^token WHITE can match the empty string; the lexer ignores such a match$"
fragment LOOP : 'l' LOOP ;     // WARNING "^rule LOOP derives nothing: every alternative recurses forever$" // WARNING "^fragment LOOP is not used by any token$"
