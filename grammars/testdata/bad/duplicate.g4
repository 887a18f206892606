grammar duplicate;
a : B ;
B : 'b' ;
a : B c ;                       // ERROR "^rule a is redefined; it was first defined at .*duplicate.g4:2:1$"
c : B ;
fragment B : 'x' ;              // ERROR "^rule B is redefined; it was first defined at .*duplicate.g4:3:1$"
a : c ;                         // ERROR "^rule a is redefined; it was first defined at .*duplicate.g4:2:1$"
