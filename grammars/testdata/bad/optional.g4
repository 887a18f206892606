grammar optional;
a : b? ('x'?)? ('y' | )? (b 'z')? ('w'*)? 'v'? EOF? ; // WARNING "^rule a makes an element optional that can already be empty$" // WARNING "^rule a makes" // WARNING "^rule a makes" // WARNING "^rule a makes"
b : 'b'? ;
C : ('c'?)? 'd' ;               // WARNING "^token C is not used by any rule reachable from start rule a$"
