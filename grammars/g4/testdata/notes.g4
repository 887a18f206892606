// inroad: same A // WARNING "note .same A. does not stand right above a rule, and is ignored"
grammar Notes; // inroad: lost // WARNING "note .lost. does not stand right above a rule"

options { language = Go; }

// A note, though comments and lines stand between.
// inroad: same   A

// More words.
a : A
    // inroad: distinct A // WARNING "note .distinct A. does not stand"
    B ;

/* inroad: no note, for it is no line */
// Of inroad: no note either, for it does not begin with the word.
A : 'a' ;
B : 'b' ;
// inroad: same B // WARNING "note .same B. does not stand right above a rule"
