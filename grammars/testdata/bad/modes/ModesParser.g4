parser grammar ModesParser;
options { tokenVocab = ModesLexer; }
a : (A B | C | D | E)* EOF ;
