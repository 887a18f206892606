lexer grammar Words;

NAME : 'never' ;
NUMBER : DIGIT+ ;
fragment DIGIT : [0-9] ;
SPACE : [ \n]+ -> channel(HIDDEN) ;
