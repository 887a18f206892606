grammar calc;

program : assignment* sum EOF ;
assignment : NAME '=' sum ';' ;
sum : product ('+' product)* ;
product : factor ('*' factor)* ;
factor : NUMBER | NAME | '-' factor | '(' sum ')' ;
NUMBER : [0-9]+ ;
NAME : [a-z] ;
