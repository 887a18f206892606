// Declarations that are wrong, each reported where it stands.
grammar Declarations;

options { language = Go; caseInsensitive = yes; } // WARNING "caseInsensitive must be true or false, found .yes."
options { x = 1; } // ERROR "^duplicate .options.: a grammar can have only one$"
tokens { A, b } // ERROR "token name .b. must start with a capital letter"
tokens { C; D; } // ERROR "duplicate .tokens." // ERROR "names must be separated by commas, found .;."
tokens { } // ERROR "^duplicate"
channels { X } // ERROR "channels are allowed only in lexer grammars"
channels { } // ERROR "channels are allowed only" // ERROR "expected the name of a channel, found .}."
import P, Q = R;
import S // ERROR "^duplicate .import."
T; // ERROR "expected .,. or .;. after the imported grammar, found .T."
import 3; // ERROR "^duplicate" // ERROR "expected the name of a grammar, found .3."
options { novalue; } // ERROR "^duplicate" // ERROR "expected .=. after the option's name, found .;."
options { x = ; y = 2; } // ERROR "^duplicate" // ERROR "expected the option's value, found .;."
options { x = 1 } // ERROR "^duplicate" // ERROR "expected .;. after the option's value, found .}."
options { x = a.; } // ERROR "^duplicate" // ERROR "expected a name after the dot, found .;."
options { = 2; } // ERROR "^duplicate" // ERROR "expected an option or .}., found .=."
tokens { A B } // ERROR "^duplicate" // ERROR "expected .,. or .}. after the name, found .B."
tokens { A, } // ERROR "^duplicate" // ERROR "expected the name of a token, found .}."
@header { package p }
@parser members { } // ERROR "expected .::. after the scope, found .members."
;
@lexer::mode { } // ERROR "expected the name of an action, found the keyword .mode."
;
@members ; // ERROR "expected .{., found .;."
) ; // ERROR "expected a rule, found .\)."
catch [e] { } // ERROR "the keyword .catch. must follow a rule"
;

mode M; // ERROR "modes are allowed only in lexer grammars"
N : 'n' ;
mode 'M'; // ERROR "expected the name of a mode, found 'M'"
mode M // ERROR "modes are allowed only in lexer grammars"
O : 'o' ; // ERROR "expected .;. after the name of the mode, found .O."

options { late = 1; } // ERROR "^.options. must come before the first rule$"
@members { late } // ERROR "^.@. must come before the first rule$"
