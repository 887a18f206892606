// Style sheets as CSS Syntax 3 and Selectors 3 define them. Media queries,
// conditions, key frames and custom properties are among them.
//
// Between the parts of a selector white space counts, so it is seen there, with
// the comments in it; everywhere else white space and comments are trivia.
//
// The standard reads any text as some style sheet and drops what is wrong in it.
// Here is what a style sheet should be, and what many have that should not: a
// star before a property, progid filters, numbers as values of attributes,
// declarations without a value. What properties and functions there are, and
// which values they take, is not told. Approximated: a comment between two parts
// of a selector counts as white space; an at-rule that is not known here has a
// block of declarations; style rules are not nested, <!-- and --> are not
// passed over, a byte order mark is a letter, and names of properties and
// at-rules have no escapes.
parser grammar css;

options { tokenVocab = cssLexer; }

css : SPACE? (statement SPACE?)* EOF ;

statement
    : ruleset
    | media
    | supports
    | document
    | layer
    | container
    | keyframes
    | import_
    | namespace
    | charset
    | page
    | fontFace
    | unknown
    ;

ruleset : selectors SPACE? block ;

block : LEFT_BRACE declarations RIGHT_BRACE ;

// Selectors.

selectors : selector (SPACE? COMMA SPACE? selector)* ;

selector : compound (combinator compound)* ;

combinator
    : SPACE
    | SPACE? (GREATER | PLUS | TILDE) SPACE?
    ;

compound
    : element simple*
    | simple+
    ;

element : namespacePrefix? (IDENT | STAR) ;

namespacePrefix : (IDENT | STAR)? PIPE ;

simple : HASH | class | attribute | pseudo ;

class : DOT (IDENT | DASHED) ;

attribute : LEFT_BRACKET SPACE? namespacePrefix? IDENT SPACE? (matches SPACE? (IDENT | STRING | NUMBER) (SPACE IDENT)? SPACE?)? RIGHT_BRACKET ;

matches : EQUALS | INCLUDES | DASH_MATCH | PREFIX_MATCH | SUFFIX_MATCH | SUBSTRING_MATCH ;

pseudo : COLON COLON? (IDENT | NTH | SELECTING SPACE? relatives SPACE? RIGHT | FUNCTION SPACE? arguments? RIGHT) ;

relatives : relative (SPACE? COMMA SPACE? relative)* ;

relative : ((GREATER | PLUS | TILDE) SPACE?)? selector ;

arguments : argument ((SPACE | SPACE? COMMA SPACE?) argument)* SPACE? ;

argument : IDENT | DASHED | STRING | NUMBER | HASH ;

// Rules that hold rules.

media : MEDIA queries? rules ;

rules : Q_LEFT_BRACE SPACE? (statement SPACE?)* RULES_END ;

queries : query (Q_COMMA query)* ;

query
    : (NOT | ONLY)? Q_IDENT (AND condition)*
    | condition ((AND | OR) condition)*
    | NOT condition
    ;

condition
    : Q_LEFT feature Q_RIGHT
    | Q_LEFT condition ((AND | OR) condition)* Q_RIGHT
    | Q_LEFT NOT condition Q_RIGHT
    | Q_FUNCTION queryValue* Q_RIGHT
    ;

feature
    : Q_IDENT (Q_COLON queryValue (Q_SLASH? queryValue)*)?
    | Q_IDENT compare queryValue (Q_SLASH queryValue)?
    | number (Q_SLASH number)? compare Q_IDENT (compare queryValue (Q_SLASH queryValue)?)?
    ;

compare : Q_LESS Q_EQUALS? | Q_GREATER Q_EQUALS? | Q_EQUALS ;

queryValue
    : Q_IDENT
    | number
    | Q_STRING
    | Q_HASH
    | Q_COMMA
    | Q_COLON
    | Q_FUNCTION queryValue* Q_RIGHT
    ;

number : Q_NUMBER | Q_PERCENTAGE | Q_DIMENSION ;

supports : SUPPORTS (NOT condition | condition ((AND | OR) condition)*) rules ;

document : DOCUMENT (Q_URL | Q_FUNCTION queryValue* Q_RIGHT) (Q_COMMA (Q_URL | Q_FUNCTION queryValue* Q_RIGHT))* rules ;

layer : LAYER (layerName (Q_COMMA layerName)* Q_SEMICOLON | layerName? rules) ;

layerName : Q_IDENT (Q_DOT Q_IDENT)* ;

container : CONTAINER Q_IDENT? (NOT condition | condition ((AND | OR) condition)*) rules ;

keyframes : KEYFRAMES (Q_IDENT | Q_STRING) Q_LEFT_BRACE SPACE? (frame SPACE?)* RULES_END ;

frame : position (SPACE? COMMA SPACE? position)* SPACE? block ;

position : IDENT | PERCENTAGE ;

import_ : IMPORT (Q_STRING | Q_URL) modifier* queries? Q_SEMICOLON ;

modifier
    : LAYER_WORD
    | MODIFIER (feature | Q_IDENT (Q_DOT Q_IDENT)+ | NOT condition | condition ((AND | OR) condition)*) Q_RIGHT
    ;

namespace : NAMESPACE Q_IDENT? (Q_STRING | Q_URL) Q_SEMICOLON ;

charset : CHARSET Q_STRING Q_SEMICOLON ;

// Rules that hold declarations.

page : PAGE (SPACE IDENT)? SPACE? (COLON IDENT SPACE?)? block ;

fontFace : FONT_FACE SPACE? block ;

unknown : AT_KEYWORD (SPACE argument)* SPACE? (SEMICOLON | block) ;

declarations : part (V_SEMICOLON part)* ;

part : nested* (declaration | V_AT_KEYWORD term*)? ;

nested : V_AT_KEYWORD term* V_LEFT_BRACE declarations RIGHT_BRACE ;

declaration
    : V_STAR? V_IDENT V_COLON value? IMPORTANT?
    | CUSTOM V_COLON (anything | V_LEFT_BRACE declarations RIGHT_BRACE)? IMPORTANT?
    ;

value
    : term ((V_COMMA | V_SLASH)? term)* V_COMMA?
    | filter+
    ;

filter : FILTER (sum (V_COMMA sum?)*)? V_RIGHT ;

term
    : V_IDENT
    | V_ESCAPED
    | CUSTOM
    | V_NUMBER
    | V_PERCENTAGE
    | V_DIMENSION
    | V_STRING
    | V_HASH
    | V_URL
    | UNICODE_RANGE
    | V_LEFT_BRACKET term* V_RIGHT_BRACKET
    | V_LEFT sum V_RIGHT
    | function
    ;

function : V_FUNCTION (sum (V_COMMA sum?)*)? V_RIGHT ;

sum : term ((V_PLUS | V_MINUS | V_STAR | V_SLASH | V_EQUALS | V_COLON)? term)* ;

anything : (term | V_COMMA | V_SLASH | V_COLON | V_EQUALS | V_PLUS | V_MINUS | V_STAR | V_OTHER)+ ;
