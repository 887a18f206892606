lexer grammar AnyLexer;         // WARNING "^grammar AnyLexer is not used by any other file$"
B : '-' ;
