parser grammar SplitRules;

rule_ : NAME | '(' start SHUT | CLASS ;
