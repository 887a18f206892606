grammar emptystart;
a : 'a' b | c ;                // ERROR "^start rule a derives nothing: there is no end to any of its alternatives$"
b : '(' a ')' ;                // WARNING "^rule b derives nothing: there is no end to any of its alternatives$"
c : 'c' a ;                    // WARNING "^rule c derives nothing: there is no end to any of its alternatives$"
