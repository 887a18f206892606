// Comma-separated values of RFC 4180, with common extensions. The extensions are
// lines that end in LF alone, characters outside ASCII, and tabs. Quotes occur only
// in quoted fields, doubled. A byte order mark is a character of the first field,
// as in many programs. The grammar does not distinguish a header line, and does not
// check that all lines have the same number of fields.
//
// Blanks belong to their field, so there is no trivia. An empty line is a separate
// kind of record: some programs skip it, others read one empty field.
grammar csv;

csv : line* record? EOF ;

line : record? LINE_END ;

record
    : value (',' field)*
    | (',' field)+
    ;

field
    : value
    |
    ;

value : QUOTED | PLAIN ;

QUOTED : '"' (CHARACTER | ',' | BREAK | DOUBLED)* '"' ;

PLAIN : CHARACTER+ ;

LINE_END : '\r\n' | '\n' ;

fragment BREAK : '\r\n' | '\n' | '\r' ;

fragment DOUBLED : '""' ;

fragment CHARACTER : LETTER | DIGIT | BLANK | SIGN | OTHER ;

fragment LETTER : [a-zA-Z] ;

fragment DIGIT : [0-9] ;

fragment BLANK : [ \t] ;

fragment SIGN : [!#-+\--/:-@[-`{-~] ;

fragment OTHER : [\u0080-\u{10FFFF}] ;
