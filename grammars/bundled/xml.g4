// XML 1.0 documents. Document types have an internal subset, and names have
// prefixes as in Namespaces in XML 1.0.
//
// White space is significant in XML: the standard requires, allows or forbids it.
// So white space is a token, and there is no trivia. Comments and processing
// instructions are nodes of the tree, too.
//
// Notes express two constraints that are not context-free: start and end tags have
// the same name, and attributes are distinct. That entities and prefixes are
// declared is not checked. Approximations: the only declared encoding is UTF-8;
// names have at most one colon; character references have at most three leading
// zeros, and decimal ones are below 1,100,000; names in declarations are not
// keywords of the declaration; literals in declarations have no percent sign; and
// system identifiers have only the characters of public identifiers.
parser grammar xml;

options { tokenVocab = xmlLexer; }

xml : beginning? miscellaneous* (doctype SPACE? miscellaneous*)? element SPACE? miscellaneous* EOF ;

beginning
    : BYTE_ORDER_MARK? XML_DECLARATION SPACE?
    | BYTE_ORDER_MARK
    | SPACE
    ;

miscellaneous : (COMMENT | INSTRUCTION) SPACE? ;

// inroad: same NAME
// inroad: distinct attribute/ATTRIBUTE_NAME
element : START NAME (GAP attribute)* GAP? (EMPTY_END | TAG_END content END NAME GAP? TAG_END) ;

attribute : ATTRIBUTE_NAME GAP? EQUALS GAP? VALUE ;

content : text? ((element | reference | CDATA | INSTRUCTION | COMMENT) text?)* ;

text : SPACE | TEXT ;

reference : PREDEFINED | CHARACTER | ENTITY ;

doctype
    : DOCTYPE
    | DOCTYPE_SUBSET subset SUBSET_END
    ;

external
    : SYSTEM S PLAIN
    | PUBLIC S (PLAIN | HASHED) S PLAIN
    ;

literal : PLAIN | HASHED | CITED | MARKED ;

subset : S? ((declaration | PARAMETER | D_COMMENT | D_INSTRUCTION) S?)* ;

declaration
    : elementDeclaration
    | attributesDeclaration
    | entityDeclaration
    | notationDeclaration
    ;

elementDeclaration : ELEMENT S D_NAME S contents S? DECLARATION_END ;

contents
    : EMPTY
    | ANY
    | mixed
    | group repeated?
    ;

mixed : LEFT S? PCDATA S? (RIGHT STAR? | (BAR S? D_NAME S?)+ RIGHT STAR) ;

group : LEFT S? particle S? ((BAR S? particle S?)+ | (COMMA S? particle S?)+)? RIGHT ;

particle : (D_NAME | group) repeated? ;

repeated : QUESTION | STAR | PLUS ;

attributesDeclaration : ATTLIST S D_NAME (S attributeDeclaration)* S? DECLARATION_END ;

attributeDeclaration : D_NAME S type S default ;

type
    : CHARACTER_DATA
    | ID
    | IDREF
    | IDREFS
    | ENTITY_TYPE
    | ENTITIES
    | NMTOKEN
    | NMTOKENS
    | NOTATION_TYPE S LEFT S? D_NAME S? (BAR S? D_NAME S?)* RIGHT
    | LEFT S? nameToken S? (BAR S? nameToken S?)* RIGHT
    ;

nameToken : D_NAME | NAME_TOKEN ;

default
    : REQUIRED
    | IMPLIED
    | (FIXED S)? (PLAIN | HASHED | CITED)
    ;

entityDeclaration
    : ENTITY_DECLARATION S D_NAME S (literal | external (S NDATA S D_NAME)?) S? DECLARATION_END
    | ENTITY_DECLARATION S PERCENT S D_NAME S (literal | external) S? DECLARATION_END
    ;

notationDeclaration : NOTATION S D_NAME S (external | PUBLIC S (PLAIN | HASHED)) S? DECLARATION_END ;
