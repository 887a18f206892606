lexer grammar NoVocabularyLexer;
A : 'a' ;
