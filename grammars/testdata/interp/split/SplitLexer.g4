lexer grammar SplitLexer;
import SplitWords;

PLUS : '+' ;
OPEN : '(' -> pushMode(INSIDE) ;
SHUT : ')' ;
mode INSIDE;
CLOSE : ')' -> type(SHUT), popMode ;
