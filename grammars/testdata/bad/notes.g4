// Notes that say what cannot be.
grammar notes;

// inroad: same NAME
// inroad: distinct pair/NAME
start : NAME pair* NAME EOF ;

// inroad: same              // ERROR "^note .same.: must be same SYMBOL/.../TOKEN, above a parser rule$"
// inroad: distinct OTHER    // ERROR "^note .distinct OTHER.: no symbol OTHER right below pair$"
// inroad: same value        // ERROR "^note .same value.: value is not a token$"
// inroad: same NAME/value   // ERROR "^note .same NAME/value.: no symbol value right below a token$"
// inroad: equal NAME        // ERROR "^note .equal NAME.: must begin with same, distinct, needs or unused$"
// inroad: needs             // ERROR "^note .needs.: the grammar has no symbol ..$"
// inroad: needs OTHER       // ERROR "^note .needs OTHER.: the grammar has no symbol .OTHER.$"
pair : NAME value ;

// inroad: unused            // ERROR "^note .unused.: must be unused, above a token$"
value : '=' NAME ;

// inroad: needs value
// inroad: same NAME         // ERROR "^note .same NAME.: must be same SYMBOL/.../TOKEN, above a parser rule$"
NAME : [a-z]+ ;

// inroad: unused
STRAY : NAME [0-9] ;
