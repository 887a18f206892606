grammar Second;                 // ERROR "^grammars First and Second both have parser rules; give the files of one grammar only$"
a : 'a' ;
