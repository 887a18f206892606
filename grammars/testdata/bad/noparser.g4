grammar noparser;               // ERROR "^grammar noparser has no parser rules$"
A : 'a' ;
