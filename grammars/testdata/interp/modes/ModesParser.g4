parser grammar ModesParser;
options { tokenVocab = ModesLexer; }
tokens { VIRTUAL }

start : (tag | WORD | STRING | TEXT)* EOF ;
tag : '<' NAME ('=' NUMBER)* (CLOSE | '/') | VIRTUAL ;
