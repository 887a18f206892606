// Declarations that are wrong, each reported where it stands.
grammar Declarations;

options { language = Go; caseInsensitive = yes; } // WARNING "caseInsensitive is true or false, found .yes."
options { x = 1; } // ERROR "^.options. again; there can be only one$"
tokens { A, b } // ERROR "a token's name must begin with a capital letter, found .b."
tokens { C; D; } // ERROR ".tokens. again" // ERROR "names are separated by commas, found .;."
tokens { } // ERROR "again"
channels { X } // ERROR "channels can be declared only in a lexer grammar"
channels { } // ERROR "channels can be declared only" // ERROR "expected the name of a channel, found .}."
import P, Q = R;
import S // ERROR "^.import. again"
T; // ERROR "expected .,. or .;. after the imported grammar, found .T."
import 3; // ERROR "again" // ERROR "expected the name of a grammar, found .3."
options { novalue; } // ERROR "again" // ERROR "expected .=. after the option's name, found .;."
options { x = ; y = 2; } // ERROR "again" // ERROR "expected the option's value, found .;."
options { x = 1 } // ERROR "again" // ERROR "expected .;. after the option's value, found .}."
options { x = a.; } // ERROR "again" // ERROR "expected a name after the dot, found .;."
options { = 2; } // ERROR "again" // ERROR "expected an option or .}., found .=."
tokens { A B } // ERROR "again" // ERROR "expected .,. or .}. after the name, found .B."
tokens { A, } // ERROR "again" // ERROR "expected the name of a token, found .}."
@header { package p }
@parser members { } // ERROR "expected .::. after the scope, found .members."
;
@lexer::mode { } // ERROR "expected the name of an action, found the keyword .mode."
;
@members ; // ERROR "expected .{., found .;."
) ; // ERROR "expected a rule, found .\)."
catch [e] { } // ERROR "the keyword .catch. must follow a rule"
;

mode M; // ERROR "modes are possible only in a lexer grammar"
N : 'n' ;
mode 'M'; // ERROR "expected the name of a mode, found 'M'"
mode M // ERROR "modes are possible only in a lexer grammar"
O : 'o' ; // ERROR "expected .;. after the name of the mode, found .O."

options { late = 1; } // ERROR "^.options. must come before the first rule$"
@members { late } // ERROR "^.@. must come before the first rule$"
