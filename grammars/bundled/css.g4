// Style sheets of CSS Syntax 3 and Selectors 3. Media queries, conditional rules,
// key frames and custom properties are included.
//
// White space inside a selector is significant, so it is a token there, including
// its comments. Everywhere else white space and comments are trivia.
//
// The standard parses any text and drops invalid parts. This grammar accepts valid
// style sheets and common extensions: a star before a property, progid filters,
// numbers as attribute values, declarations without a value. It does not check the
// names of properties and functions, nor their values.
//
// Approximations: a comment inside a selector counts as white space; unknown
// at-rules have a block of declarations; style rules are not nested; <!-- and -->
// are not skipped; a byte order mark is a letter; names of properties and at-rules
// have no escapes.
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

// Rules that contain rules.

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

// Rules that contain declarations.

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
