grammar optional;
a : b? ('x'?)? ('y' | )? (b 'z')? ('w'*)? 'v'? EOF? ; // WARNING "^rule a makes optional what can be empty anyway$" // WARNING "^rule a makes" // WARNING "^rule a makes" // WARNING "^rule a makes"
b : 'b'? ;
C : ('c'?)? 'd' ;               // WARNING "^token C is not used by any rule that start rule a reaches$"
