parser grammar TokensParser;
options { tokenVocab = TokensLexer; }

start : item* EOF ;
item : WORD | STRING | NUMBER | other ;
other : MISSING ;
