// Alternatives that others make useless.
grammar alternatives;

a : b | 'x' b
  | 'x'  b                     // WARNING "^alternative 3 in rule a is the same as alternative 2$"
  | y='x' c=b {code}           // WARNING "^alternative 4 in rule a is the same as alternative 2$"
  | ('x' | 'y' | 'x')          // WARNING "^alternative 3 in rule a is the same as alternative 1$"
  | ('p' b)* | ('p' b)+ | ('p' b)? 'q'
  | ('p' b)*                   // WARNING "^alternative 9 in rule a is the same as alternative 6$"
  | c
  ;
b : B
  | ~'x'
  | C                          // WARNING "^alternative 3 in rule b is never chosen: earlier alternatives match everything it matches$"
  | 'x'
  | .                          // WARNING "^alternative 5 in rule b is never chosen: earlier alternatives match everything it matches$"
  ;
c : | 'x'
  | ;                          // WARNING "^alternative 3 in rule c is the same as alternative 1$"

B : 'b' | 'bb' | [b]
  | 'b' ;                      // WARNING "^alternative 4 in rule B is the same as alternative 1$"
C : 'c' ;
