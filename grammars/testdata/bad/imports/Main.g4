grammar Main;
import Rules, Missing, Words;   // ERROR "^import Missing: no such grammar was given$"
a : r W ;
