lexer grammar Words;
import Words;
W : 'w' ;
