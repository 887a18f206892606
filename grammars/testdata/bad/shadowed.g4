// Tokens that the lexer takes for others.
grammar shadowed;

a : '+' WORD THEN 'else' PLUS MINUS T__A T__B LETTER ;

IF : 'if' ;                     // WARNING "^token IF is not used"
IF2 : 'if' -> channel(HIDDEN) ; // WARNING "^token IF2 never matches: IF comes first and matches the same text$"
WORD : [a-z]+ ;
THEN : 'then' ;                 // WARNING "^token THEN never matches: WORD comes first and matches the same text$"
ELSE : 'else' ;                 // WARNING "^token ELSE never matches: WORD comes first and matches the same text$"
PLUS : '\u002B' ;               // WARNING "^token PLUS never matches: '\+' comes first and matches the same text$"
MINUS : '-' ;
T__A : '0'..'9' ;
T__B : '3' ;                    // WARNING "^token T__B never matches: T__A comes first and matches the same text$"
LETTER : 'L' ;
LONGER : 'Lx' ;                 // WARNING "^token LONGER is not used by any rule reachable from start rule a$"
