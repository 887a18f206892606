// caseInsensitive on single rules only.
grammar FoldRule;

start : WORD KEY 'end' EOF ;

KEY options { caseInsensitive = true; } : 'key' | [a-c] DIGIT ;
WORD : [a-z]+ ;
fragment DIGIT options { caseInsensitive = true; } : [0-9a-f] ;
