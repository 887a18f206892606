grammar Main;
import Rules, Missing, Words;   // ERROR "^import Missing: not among the given grammars$"
a : r W ;
