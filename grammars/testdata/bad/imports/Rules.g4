parser grammar Rules;
import Main, Words, Gone;       // ERROR "^import Gone: no file given has that grammar$"
r : W ;
