// Tokens that several rules make, in several modes, and trivia.
lexer grammar TokensLexer;
tokens { STRING }

WORD : [a-z]+ ;
UPPER : [A-Z]+ -> type(WORD) ;
OPEN : '"' -> more, pushMode(TEXT) ;
SHORT : '\'' ~'\''* '\'' -> type(STRING) ;
NUMBER : DIGIT+ | DIGIT* '.' DIGIT+ ;
fragment DIGIT : [0-9] ;
SPACE : [ \t]+ -> skip ;
COMMENT : '#' ~[\n]* -> channel(HIDDEN) ;
NEVER : '$' ;

mode TEXT;
ESCAPE : '\\' . -> more ;
CHAR : ~["\\] -> more ;
CLOSE : '"' -> type(STRING), popMode ;
