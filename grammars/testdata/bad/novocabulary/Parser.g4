parser grammar NoVocabularyParser; // WARNING "^parser grammar NoVocabularyParser has no tokenVocab; tokens are taken from NoVocabularyLexer$"
s : A EOF ;
