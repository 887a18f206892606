parser grammar P;
options { tokenVocab = L; }
a : A B | C | D | E ;
