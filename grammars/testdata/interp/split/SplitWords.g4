lexer grammar SplitWords;

NAME : [a-z]+ ;
mode INSIDE;
CLASS : [A-Z]+ ;
mode OUTSIDE;
EVER : 'e' -> mode(INSIDE) ;
