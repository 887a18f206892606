grammar Main;
import Rules, Missing, Words;   // ERROR "^import Missing: no file given has that grammar$"
a : r W ;
