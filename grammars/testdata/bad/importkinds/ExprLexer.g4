lexer grammar ExprLexer;
import Helper, Words;           // ERROR "^import Helper: it is not a lexer grammar as ExprLexer is$"
E : W ;
