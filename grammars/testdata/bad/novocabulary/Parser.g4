parser grammar NoVocabularyParser; // WARNING "^parser grammar NoVocabularyParser has no tokenVocab; using the tokens of NoVocabularyLexer$"
s : A EOF ;
