lexer grammar ExprLexer;
import Helper, Words;           // ERROR "^import Helper: must be a lexer grammar, like ExprLexer$"
E : W ;
