grammar NoSemicolon
b : 'b' ; // ERROR "expected .;. after the name of the grammar, found .b."
c : 'c' // the end of the file // ERROR "missing .;. after rule c, before the end of the file"