parser grammar Rules;
import Main, Words, Gone;       // ERROR "^import Gone: not among the given grammars$"
r : W ;
