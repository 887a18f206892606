// Literals that have a token rule, that have none, and that look alike.
grammar Literals;
tokens { EXTRA, ADD }

start : 'if' '+' ADD? 'x' ('\n' | '\'' | '\\' | '"') '\u0041' 'A' ~'y' MINUS EXTRA? UNDEFINED? EOF ;
again : 'if' 'x' '-' 'if' END ;

ADD : '+' ;
MINUS : '-' -> channel(0) ;
IF : 'if' ;
END : 'end' {end();} ;
X1 : 'z' -> skip, mode(DEFAULT_MODE) ;
COPY : 'w' ;
COPY2 : 'w' ;
NAME : [a-z]+ ;
