// caseInsensitive on the grammar and on rules.
grammar Fold;
options { caseInsensitive = true; }

start : 'select' NAME 'FROM' NAME other EOF ;
other : EXACT | HEX | 'été' ;

NAME : [a-z_] [a-z0-9_]* ;
EXACT options { caseInsensitive = false; } : 'Exact' [a-c] ;
HEX : '0x' ('a'..'f' | [0-9])+ ~[g-h] ~'i' ('j' | 'k' | 'l') ;
MIXED : [X-b] [a-zA-Z] 'é' 'ß' 'İ' '1' 'k'..'n' ;
GREEK : [α-ω] [а-я] ;
