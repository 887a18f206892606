lexer A; // ERROR "expected .grammar. at the start of the file, found .A."
B : 'b' ;
