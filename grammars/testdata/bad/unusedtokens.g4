// Tokens that the parser never asks for.
grammar unusedtokens;

tokens { STRAY } // declared, so that text which is no token can be given a type

start : USED EOF ;
other : OTHER ;                // WARNING "^rule other is unreachable from start rule start$"

USED : LETTER+ ;
OTHER : '0' DIGIT ;            // WARNING "^token OTHER is not used by any rule reachable from start rule start$"
NONE : '1' ;                   // WARNING "^token NONE is not used by any rule reachable from start rule start$"
COMMENT : '#' TEXT -> skip ;
BLANK : ' ' -> channel(HIDDEN) ;
PREFIX : '$' -> more ;
KIND : '@' -> type(USED) ;
JOINED : LETTER+ DIGIT -> type(STRAY) ; // WARNING "^type.STRAY.: the ANTLR tool rejects a token without a lexer rule in a combined grammar$"
// inroad: unused
TWICE : LETTER+ DIGIT DIGIT ;
fragment LETTER : [a-z] ;
fragment DIGIT : [0-9] ;
fragment TEXT : .*? '\n' ;
fragment SPARE : 's' SPARE2 ;  // WARNING "^fragment SPARE is not used by any token$"
fragment SPARE2 : 't' ;        // WARNING "^fragment SPARE2 is not used by any token$"
