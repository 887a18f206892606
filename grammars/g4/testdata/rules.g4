// Rules that are wrong around their bodies.
grammar Rules;

a : A ;
mode : A ; // ERROR "expected the name of a mode, found .:."
returns : A ; // ERROR "the keyword .returns. cannot be used as a rule name"
fragment b : A ; // ERROR "parser rule b cannot be a fragment"
c B ; // ERROR "expected .:. after the rule's name, found .B."
3 : A ; // ERROR "expected a rule, found .3."
d returns A ; // ERROR "expected .\[. after returns, found .A."
d2 locals : A ; // ERROR "expected .\[. after locals, found .:."
e @init : A ; // ERROR "expected .{., found .:."
e2 @ : A ; // ERROR "expected the name of an action, found .:."
e3 throws : A ; // ERROR "expected a name, found .:."
f : A
g : B // ERROR "missing .;. after rule f, before .g."
fragment H : 'h' // ERROR "missing .;. after rule g, before the keyword .fragment."
i returns [int x] : A // ERROR "missing .;. after rule H, before .i."
j @after { x } : A // ERROR "missing .;. after rule i, before .j."
; catch { } // ERROR "expected .\[. after catch, found .{."
;
k : A ; finally [ ] // ERROR "expected .{., found .\[."
;
L [int x] : 'l' ; // ERROR "^.\[. is allowed only in parser rules$"
M returns [int x] : 'm' ; // ERROR "the keyword .returns. is allowed only in parser rules"
N @init { } : 'n' ; // ERROR "^.@. is allowed only in parser rules"
O options { caseInsensitive = 1; } : 'o' ; // WARNING "caseInsensitive must be true or false, found .1."
P options { wrong } : 'p' ; // ERROR "expected .=. after the option's name, found .}."
Q : 'q' ; catch [e] { } // ERROR "the keyword .catch. must follow a parser rule"
r : A # one | B ; // ERROR "rule r must label all of its alternatives or none"
s : A # ; // ERROR "expected the label of the alternative, found .;."
t : ( A # inner ) ; // ERROR "alternatives inside parentheses cannot have labels"
U : 'u' # label ; // ERROR "alternatives of lexer rules cannot have labels"
v : A ) ; // ERROR "expected .;. or another element of rule v, found .\).$"
_w : A ; // ERROR "unexpected character '_'"
dq : "a b" A ; // ERROR "^.a b.: a literal must be in single quotes$"
x : A / B ; // WARNING "stray / is ignored"
y : { don't } // WARNING "unbalanced quotes between { and }"
  ;
z : A ; /* never closed // WARNING "comment is not closed"
