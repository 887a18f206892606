// Comma-separated values as RFC 4180 defines them, and what is common besides.
// That is: lines that end in LF alone, characters outside ASCII, and tabs. A quote
// can only stand in a quoted field, doubled. A byte order mark is a character of
// the first field, as it is to many programs. Whether the first line is a header
// cannot be seen in a text, nor can a grammar count that all lines have as many
// fields.
//
// Blanks belong to their field, so there is no trivia. An empty line is a record
// of its own kind, as some programs skip it and others read one empty field.
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
