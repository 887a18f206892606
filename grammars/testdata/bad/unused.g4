// Rules that no input needs. A negated token uses all the others.
grammar unused;

start : USED any EOF ;
any : ~(SEMI | COMMENT)* SEMI ;
other : OTHER ext? ;           // WARNING "^rule other is unreachable from start rule start$"
ext : '+' ;                    // WARNING "^rule ext is unreachable from start rule start$"

USED : LETTER+ ;
OTHER : '0' DIGIT ;
SEMI : ';' ;
COMMENT : '#' -> skip ;
fragment LETTER : [a-z] ;
fragment DIGIT : [0-9] ;
