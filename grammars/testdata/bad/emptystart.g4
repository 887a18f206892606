grammar emptystart;
a : 'a' b | c ;                // ERROR "^start rule a derives nothing: every alternative recurses forever$"
b : '(' a ')' ;                // WARNING "^rule b derives nothing: every alternative recurses forever$"
c : 'c' a ;                    // WARNING "^rule c derives nothing: every alternative recurses forever$"
