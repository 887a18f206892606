// inroad: same A // WARNING "note .same A. is ignored: it must be directly above a rule"
grammar Notes; // inroad: lost // WARNING "note .lost. is ignored: it must be directly above a rule"

options { language = Go; }

// A note, though comments and lines stand between.
// inroad: same   A

// More words.
a : A
    // inroad: distinct A // WARNING "note .distinct A. is ignored"
    B ;

/* inroad: no note, for it is no line */
// Of inroad: no note either, for it does not begin with the word.
A : 'a' ;
B : 'b' ;
// inroad: same B // WARNING "note .same B. is ignored: it must be directly above a rule"
