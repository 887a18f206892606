// Characters beyond ASCII, escapes and properties.
grammar Unicode;

start : ('λ' | '\u{1F600}' | '→\u2192' | WORD | EMOJI | SET)* EOF ;

WORD : [\p{Greek}] [\p{Script=Cyrillic}\u0300-\u036F]* ;
EMOJI : [\u{1F600}-\u{1F64F}] | '\u{10FFFF}' ;
SET : [\p{Emoji_Modifier}_é-ü] ~[\p{White_Space}\u2028] [\P{Cyrillic}] ;
SCRIPT : [\p{Block=Arrows}] ;
RANGE : 'а'..'я' | '\u{20000}'..'\u{2A6DF}' | '\t' | '\b' | '\f' ;
