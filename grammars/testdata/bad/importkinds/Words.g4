lexer grammar Words;
W : 'w' ;
