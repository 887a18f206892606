grammar route;

route : ('/' part)+ EOF ;
part : parameter | wildcard | NAME ;
parameter : ':' NAME type? '?'? ;
type : '(' ('int' | 'word' | 'any') ')' ;
wildcard : '*' '?'? ;
NAME : [a-z] [a-z]* ;
