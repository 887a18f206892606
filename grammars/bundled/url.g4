// URLs of RFC 3986, with extensions that browsers accept. Relative references, such
// as ../a?b, are included. Queries are split into parameters.
//
// The extensions are: backslashes for slashes, characters outside ASCII,
// unencoded characters such as < and |, percent signs that encode nothing, short,
// octal and hexadecimal IPv4 addresses, several @ before the host, and blanks and
// control characters around the URL. Blanks and control characters are trivia, so
// they may also occur inside the URL, where browsers drop tabs and line ends only.
//
// The grammar does not check: which schemes need a host, the characters of
// international domain names, that a port is below 65536, that an IPv6 address
// with :: has at most seven groups, and that browsers accept a host whose last
// label is a number only as an IPv4 address.
//
// Delimiters are separate tokens. The text between two delimiters is one token: the
// first rule below that matches it.
grammar url;

url : reference? EOF ;

reference
    : scheme ':' hierarchy? suffix?
    | relative suffix?
    | suffix
    ;

scheme : NAME ;

hierarchy
    : network
    | rooted
    | segment (slash segment?)*
    ;

// A hierarchy without a scheme has no colon before its first slash: the text before
// the colon would be a scheme.
relative
    : network
    | rooted
    | first (slash segment?)*
    ;

network : slash slash authority (slash segment?)* ;

rooted : slash (segment (slash segment?)*)? ;

slash : '/' | '\\' ;

authority : (userinfo? '@')? host? (':' port?)? ;

userinfo
    : user (':' password?)?
    | ':' password?
    ;

user
    : word userMore*
    | userMore+
    ;

userMore : ('@' | '&' | '=') word? ;

password
    : word passwordMore*
    | passwordMore+
    ;

passwordMore : (':' | '@' | '&' | '=') word? ;

host : plain | IPV6 | IPV_FUTURE ;

port : NUMBER ;

segment
    : DOTS
    | word segmentMore*
    | segmentMore+
    ;

segmentMore : (':' | '@' | '&' | '=') word? ;

first
    : DOTS
    | word firstMore*
    | firstMore+
    ;

firstMore : ('@' | '&' | '=') word? ;

suffix
    : query anchor?
    | anchor
    ;

query : '?' parameter? ('&' parameter?)* ;

parameter
    : key ('=' value?)?
    | '=' value?
    ;

key
    : word keyMore*
    | keyMore+
    ;

keyMore : (':' | '@' | '/' | '\\' | '?') word? ;

value
    : word valueMore*
    | valueMore+
    ;

valueMore : (':' | '@' | '/' | '\\' | '?' | '=') word? ;

anchor : '#' word? anchorMore* ;

anchorMore : (':' | '@' | '/' | '\\' | '?' | '&' | '=' | '#') word? ;

word : plain | ODD ;

plain : NAME | NUMBER | TEXT ;

NAME : SPECIAL | LETTER (LETTER | DIGIT | [+\-.])* ;

fragment SPECIAL options { caseInsensitive = true; }
    : 'http' | 'https' | 'ws' | 'wss' | 'ftp' | 'file' ;

NUMBER : DIGIT+ ;

DOTS : DOT DOT? ;

fragment DOT : '.' | '%2' [eE] ;

TEXT : IPV4 | CHARACTER+ ;

ODD : CHARACTER* UNENCODED (CHARACTER | UNENCODED)* ;

fragment UNENCODED : [%"<>^`{|}] ;

fragment CHARACTER : UNRESERVED | SUBDELIMITER | ENCODED | INTERNATIONAL ;

fragment UNRESERVED : LETTER | DIGIT | [\-._~] ;

fragment SUBDELIMITER : [!$'()*+,;] ;

fragment ENCODED : '%' HEX HEX ;

fragment INTERNATIONAL : [\u00A0-\uD7FF\uE000-\u{10FFFF}] ;

fragment IPV4
    : DOTTED
    | HEXADECIMAL
    | OCTET '.' PART ('.' PART)?
    | (OCTAL | HEXADECIMAL) '.' PART ('.' PART ('.' PART)?)?
    ;

// A separate rule, so that the paths inside octets are covered once, not once per
// occurrence of octets.
fragment DOTTED : OCTETS ;

fragment OCTETS : OCTET '.' OCTET '.' OCTET '.' OCTET ;

fragment OCTET
    : '25' [0-5]
    | '2' [0-4] DIGIT
    | '1' DIGIT DIGIT
    | [1-9] DIGIT
    | DIGIT
    ;

fragment PART
    : OCTET
    | OCTAL
    | HEXADECIMAL
    ;

fragment OCTAL : '0' [0-3]? [0-7] [0-7] ;

fragment HEXADECIMAL : '0' [xX] (HEX HEX?)? ;

IPV6 : '[' ADDRESS ']' ;

fragment ADDRESS
    : GROUP ':' GROUP ':' GROUP ':' GROUP ':' GROUP ':' GROUP ':' (GROUP ':' GROUP | DOTTED)
    | GROUPS? '::' (GROUPS | (GROUPS ':')? DOTTED)?
    ;

fragment GROUPS : GROUP (':' GROUP (':' GROUP (':' GROUP (':' GROUP (':' GROUP (':' GROUP)?)?)?)?)?)? ;

fragment GROUP : HEX (HEX (HEX HEX?)?)? ;

IPV_FUTURE options { caseInsensitive = true; }
    : '[' 'v' HEX+ '.' (UNRESERVED | SUBDELIMITER | [&=:])+ ']'
    ;

fragment HEX : DIGIT | [a-f] | [A-F] ;

fragment LETTER : [a-z] | [A-Z] ;

fragment DIGIT : [0-9] ;

BLANK : [ \t\r\n\u0000-\u0008\u000B\u000C\u000E-\u001F]+ -> skip ;
