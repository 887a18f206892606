parser grammar nolexer;         // ERROR "^parser grammar nolexer needs a lexer grammar, but none was given$"
options { tokenVocab = Nowhere; }
a : A ;
