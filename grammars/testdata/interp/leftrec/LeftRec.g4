// Left recursion: every shape of operator, precedence, associativity, labels.
grammar LeftRec;

start : e EOF ;

e : e '.' ID                        # field
  | e '[' e ']'                     # index
  | e ('++' | '--')                 # suffix
  | e '(' (e (',' e)*)? ')'         # call
  | ('+' | '-' | '!') e             # prefix
  | <assoc=right> e '^' e           # power
  | left=e op=('*' | '/') right=e   # product
  | e ('+' | '-') e                 # sum
  | e 'is' 'not'? e                 # test
  | <assoc=right> e '?' e ':' e     # choice
  | e '??' e? 'end'                 # elvis
  | <assoc=right> ID '=' e          # assign
  | 'let' ID 'in' e                 # let
  | '(' e ')'                       # group
  | ID                              # name
  | NUMBER                          # number
  ;

list : list ',' item | item ;
item : ID | item ID ;
pair : ID pair | pair '=' pair | NUMBER ;
type : type '[' ']' | type '*'+ | (ID | 'void') | 'fn' '(' type ')' type ;
deep : deep '+' (deep | '-' deep) | ID ;

ID : [a-z]+ ;
NUMBER : [0-9]+ ;
WS : [ \n]+ -> skip ;
