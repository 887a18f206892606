grammar Second;                 // ERROR "^grammar Second has parser rules as grammar First has; give the files of one grammar$"
a : 'a' ;
