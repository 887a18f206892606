parser grammar nolexer;         // ERROR "^parser grammar nolexer needs a lexer grammar, and none was given$"
options { tokenVocab = Nowhere; }
a : A ;
