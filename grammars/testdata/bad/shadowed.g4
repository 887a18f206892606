// Tokens that the lexer takes for others.
grammar shadowed;

a : '+' WORD THEN 'else' PLUS MINUS T__A T__B LETTER ;

IF : 'if' ;                     // WARNING "^token IF is not used"
IF2 : 'if' -> channel(HIDDEN) ; // WARNING "^token IF2 can never be matched: IF, which comes first, matches the same text$"
WORD : [a-z]+ ;
THEN : 'then' ;                 // WARNING "^token THEN can never be matched: WORD, which comes first, matches the same text$"
ELSE : 'else' ;                 // WARNING "^token ELSE can never be matched: WORD, which comes first, matches the same text$"
PLUS : '\u002B' ;               // WARNING "^token PLUS can never be matched: '\+', which comes first, matches the same text$"
MINUS : '-' ;
T__A : '0'..'9' ;
T__B : '3' ;                    // WARNING "^token T__B can never be matched: T__A, which comes first, matches the same text$"
LETTER : 'L' ;
LONGER : 'Lx' ;                 // WARNING "^token LONGER is not used by any rule that start rule a reaches$"
