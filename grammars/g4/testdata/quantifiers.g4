grammar quantifiers;
a : 'a'{0,2} ; // WARNING ".0,2. is an action to ANTLR and repeats nothing"
b : 'b' {3} 'c'{2,}? ; // WARNING ".3. is an action"
c : 'c' {f(1,2)} ;
D : [0-9]{4} ; // WARNING ".4. is an action"
