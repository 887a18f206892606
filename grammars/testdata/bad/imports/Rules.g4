parser grammar Rules;
import Main, Words, Gone;       // ERROR "^import Gone: no such grammar was given$"
r : W ;
