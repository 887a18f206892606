grammar duplicate;
a : B ;
B : 'b' ;
a : B c ;                       // ERROR "^rule a is defined a second time; first at .*duplicate.g4:2:1$"
c : B ;
fragment B : 'x' ;              // ERROR "^rule B is defined a second time; first at .*duplicate.g4:3:1$"
a : c ;                         // ERROR "^rule a is defined a second time; first at .*duplicate.g4:2:1$"
