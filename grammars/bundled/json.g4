// JSON as RFC 8259 defines it.
grammar json;

json : value EOF ;

value
    : object
    | array
    | STRING
    | NUMBER
    | 'true'
    | 'false'
    | 'null'
    ;

object
    : '{' '}'
    | '{' member (',' member)* '}'
    ;

member : STRING ':' value ;

array
    : '[' ']'
    | '[' value (',' value)* ']'
    ;

STRING : '"' (UNESCAPED | ESCAPE)* '"' ;

fragment UNESCAPED : [\u0020-\u0021\u0023-\u005B\u005D-\u{10FFFF}] ;

fragment ESCAPE : '\\' (["\\/bfnrt] | UNICODE) ;

fragment UNICODE : 'u' HEX HEX HEX HEX ;

fragment HEX : [0-9a-fA-F] ;

NUMBER : '-'? INTEGER FRACTION? EXPONENT? ;

fragment INTEGER : '0' | [1-9] [0-9]* ;

fragment FRACTION : '.' [0-9]+ ;

fragment EXPONENT : [eE] [+\-]? [0-9]+ ;

WHITESPACE : [ \t\n\r]+ -> skip ;
