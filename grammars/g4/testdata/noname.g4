parser grammar grammar; // ERROR "expected the name of the grammar, found the keyword .grammar."
b : 'b' ;
