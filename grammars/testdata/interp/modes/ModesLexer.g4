// Modes, channels, tokens and every command.
lexer grammar ModesLexer;

tokens { STRING, TEXT }
channels { NOTES, OTHER }

OPEN : '<' -> pushMode(TAG) ;
NOTE : '#' ~[\n]* -> channel(NOTES) ;
WORD : [a-z]+ ;
QUOTE : '"' -> more, mode(QUOTED) ;
SKIPPED : [ \t]+ -> skip ;
HIDE : '\n' -> channel(HIDDEN) ;
PLAIN : '$' -> type(TEXT), channel(OTHER) ;
BACK : '%' -> mode(DEFAULT_MODE) ;

mode TAG;
CLOSE : '>' -> popMode ;
NAME : [a-zA-Z]+ ;
EQUALS : '=' -> mode(VALUE) ;
NUMBERED : '0' -> type(3), channel(2), mode(0) ;
GAP : [ \n] -> type(SKIPPED), skip ;

mode QUOTED;
END : '"' -> type(STRING), mode(DEFAULT_MODE) ;
ESCAPE : '\\' . -> more ;
CHARS : . -> more ;

mode VALUE;
fragment DIGIT : [0-9] ;
NUMBER : DIGIT+ -> mode(TAG) ;
INNER : '<' -> type(OPEN), pushMode(TAG) ;

mode TAG;
SLASH : '/' -> popMode, pushMode(VALUE) ;
