// XML 1.0 documents. Document types have an internal subset, and names have
// prefixes as in Namespaces in XML 1.0.
//
// White space counts in XML: where the standard requires it, where it allows it
// and where it forbids it are told apart, so it is seen here and there is no
// trivia. Comments and processing instructions are nodes of a document as well.
//
// What is not context-free is not told by the rules: that the name of an end tag
// is the one of its start tag and that no attribute is given twice, which notes
// tell, and that entities and prefixes are declared. Approximated: a document that declares an encoding
// declares UTF-8; names have one colon at most; numbers of characters have three
// zeros before them at most, and end below 1,100,000; declarations name nothing
// after one of their own keywords, their literals have no percent sign, and their
// system identifiers have no characters but those of public ones.
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
