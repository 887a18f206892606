lexer grammar Commands;

A : 'a' -> skip | 'b' ; // ERROR "lexer command skip in a rule with several alternatives"
B : ( 'b' -> skip ) ; // ERROR "lexer commands are not allowed inside parentheses"
C : 'c' -> leap ; // ERROR "unknown lexer command .leap."
D : 'd' -> type ; // ERROR "lexer command type needs an argument"
E : 'e' -> skip(3) ; // ERROR "lexer command skip takes no argument"
F : 'f' -> Channel(HIDDEN) ; // WARNING "lexer command Channel should be written channel"
G : 'g' -> type('a') ; // ERROR "expected the argument of the lexer command, found 'a'"
H : 'h' -> type(A ; // ERROR "expected .\). after the argument of the lexer command, found .;."
I : 'i' -> , skip ; // ERROR "expected a lexer command, found .,."
J : 'j' -> skip, skip ; // WARNING "duplicate lexer command skip"
K : 'k' -> skip, more, type(A) ; // WARNING "command more conflicts with skip" // WARNING "type conflicts with skip" // WARNING "type conflicts with more"
L : 'l' -> type(A), channel(2), mode(DEFAULT_MODE), pushMode(X), popMode, popMode ;
fragment M : 'm' { action } -> skip ; // WARNING "an action in a fragment is never executed" // WARNING "lexer command skip in a fragment is never executed"
N : 'n' -> skip # label ; // ERROR "alternatives of lexer rules cannot have labels"
