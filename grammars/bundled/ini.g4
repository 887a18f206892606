// INI files: sections of keys and values, one per line. There is no standard; this
// grammar has the syntax that most readers share, and extensions that many support.
//
// A key and its value are separated by = or :, and a key may have no value. A
// comment begins with ; or #, at the start of a line or after a blank. A backslash
// at the end of a line continues it. Values contain quoted strings with escapes,
// numbers, booleans such as yes and off, and references to other values.
//
// Comments, blanks and continued line ends are trivia. Python's continuation of a
// value on an indented line parses as a key without a value. A quote at the start
// of a word must be closed.
grammar ini;

ini : (head | section) (LINE_END section)* EOF ;

head : line (LINE_END line)* ;

section : header (LINE_END line)* ;

header : '[' name ']' ;

name
    : word+
    | word+ STRING
    | STRING
    ;

line
    : entry
    |
    ;

entry : key (('=' | ':') value?)? ;

key
    : word+
    | word+ '[' word? ']'
    | STRING
    ;

value : (word | STRING | '=' | ':' | '[' | ']')+ ;

word : NUMBER | SWITCH | WORD ;

NUMBER : [+\-]? [0-9]+ ('.' [0-9]+)? UNIT? ;

fragment UNIT : [kKmMgGsh%] ;

SWITCH options { caseInsensitive = true; }
    : 'true' | 'false' | 'yes' | 'no' | 'on' | 'off' ;

WORD : ([0-9]* BEGINNING | [0-9]+ [;#"']) (BEGINNING | [0-9] | [;#"'])* ;

fragment BEGINNING
    : REFERENCE
    | ESCAPE
    | [a-z]
    | [A-Z]
    | [_\-./]
    | [!$%&()*+,<>?@^`{|}~]
    | [\u0080-\u{10FFFF}]
    ;

STRING
    : '"' (ESCAPE | ~["\\\r\n])* '"'
    | '\'' (ESCAPE | ~['\\\r\n])* '\''
    ;

// A backslash before a line end is not an escape: it continues the line.
fragment ESCAPE : '\\' ~[\r\n] ;

fragment REFERENCE
    : '%(' REFERRED ')s'
    | '${' REFERRED (':' REFERRED)? '}'
    ;

fragment REFERRED : [a-zA-Z0-9_.\-]+ ;

LINE_END : '\r\n' | '\n' ;

JOINED : '\\' ('\r\n' | '\n') -> skip ;

COMMENT : [;#] ~[\r\n]* -> channel(HIDDEN) ;

BLANK : [ \t\f]+ -> skip ;
