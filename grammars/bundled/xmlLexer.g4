// The tokens of XML 1.0. There are lexer modes for text between tags, for tags, and
// for document types.
lexer grammar xmlLexer;

BYTE_ORDER_MARK : '\uFEFF' ;

XML_DECLARATION : '<?xml' VERSION ENCODING? STANDALONE? BLANK* '?>' ;

fragment VERSION : BLANK+ 'version' EQUAL ('"1.' [0-9]+ '"' | '\'1.' [0-9]+ '\'') ;

fragment ENCODING : BLANK+ 'encoding' EQUAL ('"' CHARSET '"' | '\'' CHARSET '\'') ;

fragment CHARSET options { caseInsensitive = true; }
    : 'utf-8' | 'utf8' ;

fragment STANDALONE : BLANK+ 'standalone' EQUAL ('"' YES_NO '"' | '\'' YES_NO '\'') ;

fragment YES_NO : 'yes' | 'no' ;

fragment EQUAL : BLANK* '=' BLANK* ;

INSTRUCTION : '<?' TARGET (BLANK CHAR*?)? '?>' ;

// Any name except xml in upper, lower or mixed case.
fragment TARGET
    : (START_NO_X | OTHER_START) TAIL*
    | [xX]
    | [xX] (TAIL_NO_M | OTHER_START | OTHER_TAIL) TAIL*
    | [xX] [mM]
    | [xX] [mM] (TAIL_NO_L | OTHER_START | OTHER_TAIL) TAIL*
    | [xX] [mM] [lL] TAIL+
    ;

fragment START_NO_X : [a-wyzA-WYZ_] ;

fragment TAIL_NO_M : [a-ln-zA-LN-Z0-9_.\-] ;

fragment TAIL_NO_L : [a-km-zA-KM-Z0-9_.\-] ;

COMMENT : '<!--' ('-'? NO_DASH)* '-->' ;

CDATA : '<![CDATA[' CHAR*? ']]>' ;

DOCTYPE : DOCTYPE_START '>' ;

DOCTYPE_SUBSET : DOCTYPE_START '[' -> pushMode(DECLARATIONS) ;

fragment DOCTYPE_START : '<!DOCTYPE' BLANK+ QUALIFIED (BLANK+ EXTERNAL)? BLANK* ;

fragment EXTERNAL
    : 'SYSTEM' BLANK+ SYSTEM_LITERAL
    | 'PUBLIC' BLANK+ PUBLIC_LITERAL BLANK+ SYSTEM_LITERAL
    ;

END : '</' -> pushMode(TAG) ;

START : '<' -> pushMode(TAG) ;

PREDEFINED : '&' ('lt' | 'gt' | 'amp' | 'quot' | 'apos') ';' ;

CHARACTER : '&#' DECIMAL ';' | '&#x' HEXADECIMAL ';' ;

ENTITY : GENERAL ;

SPACE : BLANK+ ;

// Without ]]>, which ends a CDATA section.
TEXT
    : BLANK* SOLID (BLANK | SOLID)* ']'*
    | BLANK* ']'+
    ;

fragment SOLID : ORDINARY | '>' | ']>' | ']'+ (BLANK | ORDINARY) ;

mode TAG;

NAME : QUALIFIED -> mode(INSIDE) ;

mode INSIDE;

EMPTY_END : '/>' -> popMode ;

TAG_END : '>' -> popMode ;

EQUALS : '=' ;

ATTRIBUTE_NAME : QUALIFIED ;

VALUE
    : '"' (VALUED | '\'' | REFERENCE)* '"'
    | '\'' (VALUED | '"' | REFERENCE)* '\''
    ;

GAP : BLANK+ ;

mode DECLARATIONS;

SUBSET_END : ']' BLANK* '>' -> popMode ;

DECLARATION_END : '>' ;

ELEMENT : '<!ELEMENT' ;

ATTLIST : '<!ATTLIST' ;

ENTITY_DECLARATION : '<!ENTITY' ;

NOTATION : '<!NOTATION' ;

D_INSTRUCTION : '<?' TARGET (BLANK CHAR*?)? '?>' ;

D_COMMENT : '<!--' ('-'? NO_DASH)* '-->' ;

PARAMETER : '%' QUALIFIED ';' ;

PERCENT : '%' ;

LEFT : '(' ;

RIGHT : ')' ;

BAR : '|' ;

COMMA : ',' ;

QUESTION : '?' ;

STAR : '*' ;

PLUS : '+' ;

PCDATA : '#PCDATA' ;

REQUIRED : '#REQUIRED' ;

IMPLIED : '#IMPLIED' ;

FIXED : '#FIXED' ;

EMPTY : 'EMPTY' ;

ANY : 'ANY' ;

SYSTEM : 'SYSTEM' ;

PUBLIC : 'PUBLIC' ;

NDATA : 'NDATA' ;

CHARACTER_DATA : 'CDATA' ;

ID : 'ID' ;

IDREF : 'IDREF' ;

IDREFS : 'IDREFS' ;

ENTITY_TYPE : 'ENTITY' ;

ENTITIES : 'ENTITIES' ;

NMTOKEN : 'NMTOKEN' ;

NMTOKENS : 'NMTOKENS' ;

NOTATION_TYPE : 'NOTATION' ;

D_NAME : QUALIFIED ;

NAME_TOKEN : ([0-9.\-] | OTHER_TAIL) (TAIL | ':')* ;

// Literals: PLAIN is a public or a system identifier, HASHED a public identifier,
// and CITED an attribute value. MARKED contains markup.
PLAIN
    : '"' (PUBLIC_CHAR | '\'')* '"'
    | '\'' PUBLIC_CHAR* '\''
    ;

HASHED
    : '"' (PUBLIC_CHAR | '\'')* '#' (PUBLIC_CHAR | '\'' | '#')* '"'
    | '\'' PUBLIC_CHAR* '#' (PUBLIC_CHAR | '#')* '\''
    ;

CITED
    : '"' (PUBLIC_CHAR | '#' | '\'')* CITABLE (PUBLIC_CHAR | '#' | '\'' | CITABLE)* '"'
    | '\'' (PUBLIC_CHAR | '#')* ('"' | CITABLE) (PUBLIC_CHAR | '#' | '"' | CITABLE)* '\''
    ;

MARKED
    : '"' (PUBLIC_CHAR | '#' | '\'' | CITABLE)* '<' (PUBLIC_CHAR | '#' | '\'' | CITABLE | '<')* '"'
    | '\'' (PUBLIC_CHAR | '#' | '"' | CITABLE)* '<' (PUBLIC_CHAR | '#' | '"' | CITABLE | '<')* '\''
    ;

S : BLANK+ ;

fragment PUBLIC_LITERAL
    : '"' (PUBLIC_CHAR | '#' | '\'')* '"'
    | '\'' (PUBLIC_CHAR | '#')* '\''
    ;

fragment PUBLIC_CHAR : [a-zA-Z0-9 \r\n\-()+,./:=?;!*@$_] ;

fragment SYSTEM_LITERAL : '"' NO_QUOTE* '"' | '\'' NO_APOSTROPHE* '\'' ;

fragment REFERENCE
    : '&' ('lt' | 'gt' | 'amp' | 'quot' | 'apos') ';'
    | '&#' DECIMAL ';'
    | '&#x' HEXADECIMAL ';'
    | GENERAL
    ;

// An entity must be declared, unless external declarations may exist.
// inroad: needs PARAMETER
fragment GENERAL : '&' QUALIFIED ';' ;

// Character numbers, without surrogates and control characters.
fragment DECIMAL
    : ZEROS? ('9' | '10' | '13' | '3' [2-9] | [4-9] DIGIT | [1-9] DIGIT DIGIT DIGIT?)
    | ZEROS? ([1-46-9] DIGIT DIGIT DIGIT DIGIT | '5' BELOW_60000)
    | [1-9] DIGIT DIGIT DIGIT DIGIT DIGIT
    | '10' DIGIT DIGIT DIGIT DIGIT DIGIT
    ;

fragment BELOW_60000
    : [0-489] DIGIT DIGIT DIGIT
    | '5' ([01] DIGIT DIGIT | '2' ([0-8] DIGIT | '9' [0-5]))
    | '7' ([4-9] DIGIT DIGIT | '3' ([5-9] DIGIT | '4' [4-9]))
    ;

fragment HEXADECIMAL
    : ZEROS? ([9aAdD] | [2-9a-fA-F] HEX | [1-9a-fA-F] HEX HEX)
    | ZEROS? [1-9a-cefA-CEF] HEX HEX HEX
    | ZEROS? [dD] [0-7] HEX HEX
    | [1-9a-fA-F] HEX HEX HEX HEX
    | '10' HEX HEX HEX HEX
    ;

// Some readers limit the number of digits.
fragment ZEROS : '0' ('0' '0'?)? ;

fragment DIGIT : [0-9] ;

fragment HEX : [0-9a-fA-F] ;

fragment QUALIFIED : LOCAL (':' LOCAL)? ;

fragment LOCAL : ([a-z] | [A-Z] | '_' | OTHER_START) TAIL* ;

fragment TAIL : [a-z] | [A-Z] | [0-9] | [_.\-] | OTHER_START | OTHER_TAIL ;

// The letters of the standard outside ASCII, as the complement of all other characters.
fragment OTHER_START : ~[\u0000-\u00BF\u00D7\u00F7\u0300-\u036F\u037E\u2000-\u200B\u200E-\u206F\u2190-\u2BFF\u2FF0-\u3000\uD800-\uF8FF\uFDD0-\uFDEF\uFFFE\uFFFF\u{F0000}-\u{10FFFF}] ;

fragment OTHER_TAIL : [\u00B7\u0300-\u036F\u203F-\u2040] ;

fragment BLANK : [ \t\r\n] ;

fragment CHAR : BLANK | [!-~] | OTHER ;

fragment OTHER : [\u007F-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}] ;

fragment NO_DASH : BLANK | [!-,.-~] | OTHER ;

fragment NO_QUOTE : BLANK | [!#-~] | OTHER ;

fragment NO_APOSTROPHE : BLANK | [!-&(-~] | OTHER ;

// Any character except white space, <, &, ] and >.
fragment ORDINARY : [!-%'-;=?-\\^-~] | OTHER ;

// Any character except <, & and quotes.
fragment VALUED : BLANK | [!#-%(-;=-~] | OTHER ;

// Characters that public identifiers do not have, except < and %.
fragment CITABLE : [\t>[-^`{-~] | OTHER | REFERENCE ;
