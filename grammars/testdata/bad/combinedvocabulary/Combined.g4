grammar Combined;
options { tokenVocab = Lex; }   // WARNING "^tokenVocab = Lex is ignored in a combined grammar$"
a : A ;
A : 'a' ;
