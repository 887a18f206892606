// The tokens of CSS. There are three modes: selectors, queries between an
// at-keyword and its block, and declarations.
lexer grammar cssLexer;

SPACE : (BLANK | REMARK)+ ;

// At-keywords before a query.

MEDIA options { caseInsensitive = true; }
    : '@media' -> pushMode(QUERY) ;

SUPPORTS options { caseInsensitive = true; }
    : '@supports' -> pushMode(QUERY) ;

DOCUMENT options { caseInsensitive = true; }
    : '@' VENDOR? 'document' -> pushMode(QUERY) ;

LAYER options { caseInsensitive = true; }
    : '@layer' -> pushMode(QUERY) ;

CONTAINER options { caseInsensitive = true; }
    : '@container' -> pushMode(QUERY) ;

KEYFRAMES options { caseInsensitive = true; }
    : '@' VENDOR? 'keyframes' -> pushMode(QUERY) ;

IMPORT options { caseInsensitive = true; }
    : '@import' -> pushMode(QUERY) ;

NAMESPACE options { caseInsensitive = true; }
    : '@namespace' -> pushMode(QUERY) ;

CHARSET options { caseInsensitive = true; }
    : '@charset' -> pushMode(QUERY) ;

// At-keywords before declarations.

PAGE options { caseInsensitive = true; }
    : '@page' ;

FONT_FACE options { caseInsensitive = true; }
    : '@font-face' ;

AT_KEYWORD : '@' PLAIN_WORD ;

// Selectors.

LEFT_BRACE : '{' -> pushMode(DECLARATIONS) ;

RULES_END : '}' -> popMode ;

SEMICOLON : ';' ;

COMMA : ',' ;

GREATER : '>' ;

PLUS : '+' ;

TILDE : '~' ;

STAR : '*' ;

PIPE : '|' ;

DOT : '.' ;

COLON : ':' ;

LEFT_BRACKET : '[' ;

RIGHT_BRACKET : ']' ;

RIGHT : ')' ;

EQUALS : '=' ;

INCLUDES : '~=' ;

DASH_MATCH : '|=' ;

PREFIX_MATCH : '^=' ;

SUFFIX_MATCH : '$=' ;

SUBSTRING_MATCH : '*=' ;

// A functional pseudo-class with a position: an + b.
NTH options { caseInsensitive = true; }
    : 'nth-' 'last-'? ('child' | 'of-type') '(' BLANK* (EVERY | [+\-]? [0-9]+ | 'even' | 'odd') BLANK* ')' ;

fragment EVERY options { caseInsensitive = true; }
    : [+\-]? [0-9]* 'n' (BLANK* [+\-] BLANK* [0-9]+)? ;

// A functional pseudo-class with selectors.
SELECTING options { caseInsensitive = true; }
    : ('not' | 'is' | 'where' | 'has' | 'matches' | VENDOR? 'any' | 'slotted' | 'host' '-context'? | 'cue') '(' ;

FUNCTION : SELECTOR_WORD '(' ;

IDENT : SELECTOR_WORD ;

DASHED : '--' SELECTOR_CHAR* ;

HASH : '#' SELECTOR_CHAR+ ;

STRING : QUOTED ;

NUMBER : NUMERAL ;

PERCENTAGE : NUMERAL '%' ;

mode QUERY;

Q_LEFT_BRACE : '{' -> mode(DEFAULT_MODE) ;

Q_SEMICOLON : ';' -> popMode ;

AND options { caseInsensitive = true; }
    : 'and' ;

OR options { caseInsensitive = true; }
    : 'or' ;

NOT options { caseInsensitive = true; }
    : 'not' ;

ONLY options { caseInsensitive = true; }
    : 'only' ;

LAYER_WORD options { caseInsensitive = true; }
    : 'layer' ;

// Functions after the address of an import.
MODIFIER options { caseInsensitive = true; }
    : ('layer' | 'supports') '(' ;

Q_COMMA : ',' ;

Q_COLON : ':' ;

Q_SLASH : '/' ;

Q_DOT : '.' ;

Q_LESS : '<' ;

Q_GREATER : '>' ;

Q_EQUALS : '=' ;

Q_LEFT : '(' ;

Q_RIGHT : ')' ;

Q_URL : ADDRESS ;

Q_FUNCTION : WORD '(' ;

Q_IDENT : WORD | '--' NAME_CHAR* ;

Q_HASH : '#' NAME_CHAR+ ;

Q_STRING : QUOTED ;

Q_NUMBER : NUMERAL ;

Q_PERCENTAGE : NUMERAL '%' ;

Q_DIMENSION : NUMERAL WORD ;

Q_COMMENT : REMARK -> channel(HIDDEN) ;

Q_BLANK : BLANK+ -> skip ;

mode DECLARATIONS;

RIGHT_BRACE : '}' -> popMode ;

V_LEFT_BRACE : '{' -> pushMode(DECLARATIONS) ;

V_SEMICOLON : ';' ;

V_COMMA : ',' ;

V_COLON : ':' ;

V_SLASH : '/' ;

V_STAR : '*' ;

V_PLUS : '+' ;

V_MINUS : '-' ;

V_EQUALS : '=' ;

V_OTHER : [.$%&?^|~<>] ;

V_LEFT : '(' ;

V_RIGHT : ')' ;

V_LEFT_BRACKET : '[' ;

V_RIGHT_BRACKET : ']' ;

IMPORTANT options { caseInsensitive = true; }
    : '!' (BLANK | REMARK)* 'important' ;

UNICODE_RANGE : [uU] '+' (HEX+ ('-' HEX+)? | HEX* '?'+) ;

V_URL : ADDRESS ;

FILTER : 'progid:' [a-zA-Z]+ ('.' [a-zA-Z0-9]+)* '(' ;

V_FUNCTION : WORD '(' ;

CUSTOM : '--' PLAIN_CHAR+ ;

V_IDENT : PLAIN_WORD ;

V_ESCAPED : '-'? (PLAIN_START PLAIN_CHAR*)? ESCAPE NAME_CHAR* ;

V_HASH : '#' NAME_CHAR+ ;

V_AT_KEYWORD : '@' PLAIN_WORD ;

V_STRING : QUOTED ;

V_NUMBER : NUMERAL ;

V_PERCENTAGE : NUMERAL '%' ;

V_DIMENSION : NUMERAL WORD ;

V_COMMENT : REMARK -> channel(HIDDEN) ;

V_BLANK : BLANK+ -> skip ;

fragment VENDOR : '-' [a-z]+ '-' ;

fragment PLAIN_WORD : '-'? PLAIN_START PLAIN_CHAR* ;

fragment PLAIN_START : LETTER | '_' | OTHER ;

fragment PLAIN_CHAR : LETTER | [0-9] | [_\-] | OTHER ;

fragment WORD : '-'? (PLAIN_START | ESCAPE) NAME_CHAR* ;

fragment NAME_CHAR : PLAIN_CHAR | ESCAPE ;

// An escape includes the blank after it. In selectors, where white space is
// significant, it must end in a blank or another character that ends it.
fragment SELECTOR_WORD : '-'? (PLAIN_START | ENDED_ESCAPE) SELECTOR_CHAR* ;

fragment SELECTOR_CHAR : PLAIN_CHAR | ENDED_ESCAPE ;

fragment ENDED_ESCAPE
    : '\\' HEX (HEX (HEX (HEX HEX?)?)?)? (BLANK | [g-zG-Z_\-])
    | '\\' HEX HEX HEX HEX HEX HEX
    | '\\' ~[\r\n\f0-9a-fA-F]
    ;

fragment LETTER : [a-z] | [A-Z] ;

fragment OTHER : [\u0080-\u{10FFFF}] ;

fragment ESCAPE
    : '\\' HEX (HEX (HEX (HEX (HEX HEX?)?)?)?)? BLANK?
    | '\\' ~[\r\n\f0-9a-fA-F]
    ;

fragment QUOTED
    : '"' (~["\\\r\n\f] | ESCAPE | JOINED)* '"'
    | '\'' (~['\\\r\n\f] | ESCAPE | JOINED)* '\''
    ;

fragment JOINED : '\\' ('\r\n' | [\r\n\f]) ;

fragment ADDRESS options { caseInsensitive = true; }
    : 'url(' BLANK* (QUOTED | (ADDRESS_CHAR | ESCAPE)*) BLANK* ')' ;

fragment ADDRESS_CHAR : ~["'(){}[\]\\ \t\r\n\f\u0000-\u0008\u000B\u000E-\u001F\u007F] ;

fragment NUMERAL : [+\-]? ([0-9]+ | [0-9]* '.' [0-9]+) ([eE] [+\-]? [0-9]+)? ;

fragment HEX : [0-9] | [a-f] | [A-F] ;

fragment BLANK : [ \t\r\n\f] ;

fragment REMARK : '/*' .*? '*/' ;
