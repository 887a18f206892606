lexer grammar AnyLexer;         // WARNING "^grammar AnyLexer is not used: no other file needs it$"
B : '-' ;
