// Notes that say what cannot be.
grammar notes;

// inroad: same NAME
// inroad: distinct pair/NAME
start : NAME pair* NAME EOF ;

// inroad: same              // ERROR "^note .same.: it is same SYMBOL/.../TOKEN, above a parser rule$"
// inroad: distinct OTHER    // ERROR "^note .distinct OTHER.: there is no OTHER right below pair$"
// inroad: same value        // ERROR "^note .same value.: value is no token$"
// inroad: same NAME/value   // ERROR "^note .same NAME/value.: there is no value right below a token$"
// inroad: equal NAME        // ERROR "^note .equal NAME.: it is same, distinct or needs$"
// inroad: needs             // ERROR "^note .needs.: the grammar has no symbol ..$"
// inroad: needs OTHER       // ERROR "^note .needs OTHER.: the grammar has no symbol .OTHER.$"
pair : NAME value ;

value : '=' NAME ;

// inroad: needs value
// inroad: same NAME         // ERROR "^note .same NAME.: it is same SYMBOL/.../TOKEN, above a parser rule$"
NAME : [a-z]+ ;
