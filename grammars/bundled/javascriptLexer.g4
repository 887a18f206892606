// The tokens of JavaScript. The tokens before a slash decide whether it divides or begins a regular expression, and the
// tokens around a line end decide whether it is a semicolon. Lexer modes keep track of them:
//
//   default   before an operand, a statement or a closing bracket: / begins a regular expression, line ends are white space
//   OPERAND   after an operand or a closing bracket: / divides, and a line end is a semicolon, unless the next line begins
//             with an operator or a bracket; then the line end is part of that token
//   CONTROL   after if, for, while, with: a statement begins after the parentheses
//   DOTTED    after a dot: any word is a name
//   TEMPLATE  between backticks
//
// An opening bracket pushes the mode for the text after its closing bracket.
lexer grammar javascriptLexer;

tokens { STRAY } // text that is not a token; no parser rule uses it

// Words

BREAK : 'break' -> mode(OPERAND) ;
CASE : 'case' ;
CATCH : 'catch' ;
CLASS : 'class' ;
CONST : 'const' ;
CONTINUE : 'continue' -> mode(OPERAND) ;
DEBUGGER : 'debugger' -> mode(OPERAND) ;
DEFAULT : 'default' ;
DELETE : 'delete' ;
DO : 'do' ;
ELSE : 'else' ;
ENUM : 'enum' ;
EXPORT : 'export' ;
EXTENDS : 'extends' ;
FALSE : 'false' -> mode(OPERAND) ;
FINALLY : 'finally' ;
FOR : 'for' -> mode(CONTROL) ;
FUNCTION : 'function' ;
IF : 'if' -> mode(CONTROL) ;
IMPORT : 'import' ;
IN : 'in' ;
INSTANCEOF : 'instanceof' ;
LET : 'let' ;
NEW : 'new' ;
NULL : 'null' -> mode(OPERAND) ;
RETURN : 'return' ;
STATIC : 'static' ;
SUPER : 'super' -> mode(OPERAND) ;
SWITCH : 'switch' ;
THIS : 'this' -> mode(OPERAND) ;
THROW : 'throw' ;
TRUE : 'true' -> mode(OPERAND) ;
TRY : 'try' ;
TYPEOF : 'typeof' ;
VAR : 'var' ;
VOID : 'void' ;
WHILE : 'while' -> mode(CONTROL) ;
WITH : 'with' -> mode(CONTROL) ;
YIELD : 'yield' ;

// A return without a value, followed by a line end.
RETURN_LINE : 'return' LINE_END ;

// The token of an accessor includes its name, because get and set alone are ordinary names.
ACCESSOR_GET : GETTER -> mode(OPERAND) ;
ACCESSOR_SET : SETTER -> mode(OPERAND) ;

// The token of a constructor includes its parenthesis, for the same reason.
CONSTRUCTOR : CONSTRUCTOR_HEAD -> mode(OPERAND), pushMode(DEFAULT_MODE) ;

IDENTIFIER : WORD -> mode(OPERAND) ;

// Literals

NUMBER : NUMERAL -> mode(OPERAND) ;

STRAY_NUMBER : (DECIMAL | RADIX) WORD_PART -> type(STRAY) ;

STRING : QUOTATION -> mode(OPERAND) ;

REGEX : '/' PATTERN '/' FLAGS -> mode(OPERAND) ;

STRAY_REGEX : '/' PATTERN '/' FLAGS WORD_PART -> type(STRAY) ;

// Brackets and operators

START_OPEN_PAREN : [(] -> type(OPEN_PAREN), mode(OPERAND), pushMode(DEFAULT_MODE) ;
CLOSE_PAREN : ')' -> popMode ;
START_OPEN_BRACKET : [[] -> type(OPEN_BRACKET), mode(OPERAND), pushMode(DEFAULT_MODE) ;
CLOSE_BRACKET : ']' -> popMode ;
START_OPEN_BRACE : [{] -> type(OPEN_BRACE), mode(OPERAND), pushMode(DEFAULT_MODE) ;
CLOSE_BRACE : '}' -> popMode ;
SEMICOLON : ';' ;
COMMA : ',' ;
COLON : ':' ;
QUESTION : '?' ;
DOT : '.' -> mode(DOTTED) ;
ELLIPSIS : '...' ;
ARROW : '=>' ;
ASSIGN : '=' ;
ADD_ASSIGN : '+=' ;
SUBTRACT_ASSIGN : '-=' ;
MULTIPLY_ASSIGN : '*=' ;
DIVIDE_ASSIGN : '/=' ;
REMAINDER_ASSIGN : '%=' ;
LEFT_ASSIGN : '<<=' ;
RIGHT_ASSIGN : '>>=' ;
UNSIGNED_RIGHT_ASSIGN : '>>>=' ;
AND_ASSIGN : '&=' ;
XOR_ASSIGN : '^=' ;
OR_ASSIGN : '|=' ;
INCREMENT : '++' ;
DECREMENT : '--' ;
ADD : '+' ;
SUBTRACT : '-' ;
MULTIPLY : '*' ;
DIVIDE : '/' ;
REMAINDER : '%' ;
LEFT : '<<' ;
RIGHT : '>>' ;
UNSIGNED_RIGHT : '>>>' ;
LESS : '<' ;
GREATER : '>' ;
AT_MOST : '<=' ;
AT_LEAST : '>=' ;
EQUAL : '==' ;
UNEQUAL : '!=' ;
IDENTICAL : '===' ;
NOT_IDENTICAL : '!==' ;
BIT_AND : '&' ;
BIT_XOR : '^' ;
BIT_OR : '|' ;
AND : '&&' ;
OR : '||' ;
NOT : '!' ;
COMPLEMENT : '~' ;
START_BACKTICK : [`] -> type(BACKTICK), mode(OPERAND), pushMode(TEMPLATE) ;

LINE_COMMENT : LINE_REMARK -> skip ;
COMMENT : REMARK -> skip ;
SPACE : (BLANK | EOL)+ -> skip ;

mode OPERAND;

// The same tokens after an operand, and those that only follow an operand. Rules with more than a literal keep the
// parser's literals bound to the rules above.

// A line end that no operator continues, with all lines and comments up to the next token.
AUTOMATIC_SEMICOLON : LINES LINE_REMARK? -> type(SEMICOLON), mode(DEFAULT_MODE) ;

LATE_OPEN_PAREN : LINES? '(' -> type(OPEN_PAREN), pushMode(DEFAULT_MODE) ;
LATE_CLOSE_PAREN : LINES? ')' -> type(CLOSE_PAREN), popMode ;
LATE_OPEN_BRACKET : LINES? '[' -> type(OPEN_BRACKET), pushMode(DEFAULT_MODE) ;
LATE_CLOSE_BRACKET : LINES? ']' -> type(CLOSE_BRACKET), popMode ;
LATE_OPEN_BRACE : LINES? '{' -> type(OPEN_BRACE), pushMode(DEFAULT_MODE) ;
LATE_CLOSE_BRACE : LINES? '}' -> type(CLOSE_BRACE), popMode ;
LATE_SEMICOLON : LINES? ';' -> type(SEMICOLON), mode(DEFAULT_MODE) ;
LATE_COMMA : LINES? ',' -> type(COMMA), mode(DEFAULT_MODE) ;
LATE_COLON : LINES? ':' -> type(COLON), mode(DEFAULT_MODE) ;
LATE_QUESTION : LINES? '?' -> type(QUESTION), mode(DEFAULT_MODE) ;
LATE_DOT : LINES? '.' -> type(DOT), mode(DOTTED) ;
LATE_ELLIPSIS : [.] '..' -> type(ELLIPSIS), mode(DEFAULT_MODE) ;
LATE_ARROW : '=' '>' -> type(ARROW), mode(DEFAULT_MODE) ;
LATE_ASSIGN : LINES? '=' -> type(ASSIGN), mode(DEFAULT_MODE) ;
LATE_ADD_ASSIGN : LINES? '+=' -> type(ADD_ASSIGN), mode(DEFAULT_MODE) ;
LATE_SUBTRACT_ASSIGN : LINES? '-=' -> type(SUBTRACT_ASSIGN), mode(DEFAULT_MODE) ;
LATE_MULTIPLY_ASSIGN : LINES? '*=' -> type(MULTIPLY_ASSIGN), mode(DEFAULT_MODE) ;
LATE_DIVIDE_ASSIGN : LINES? '/=' -> type(DIVIDE_ASSIGN), mode(DEFAULT_MODE) ;
LATE_REMAINDER_ASSIGN : LINES? '%=' -> type(REMAINDER_ASSIGN), mode(DEFAULT_MODE) ;
LATE_LEFT_ASSIGN : LINES? '<<=' -> type(LEFT_ASSIGN), mode(DEFAULT_MODE) ;
LATE_RIGHT_ASSIGN : LINES? '>>=' -> type(RIGHT_ASSIGN), mode(DEFAULT_MODE) ;
LATE_UNSIGNED_RIGHT_ASSIGN : LINES? '>>>=' -> type(UNSIGNED_RIGHT_ASSIGN), mode(DEFAULT_MODE) ;
LATE_AND_ASSIGN : LINES? '&=' -> type(AND_ASSIGN), mode(DEFAULT_MODE) ;
LATE_XOR_ASSIGN : LINES? '^=' -> type(XOR_ASSIGN), mode(DEFAULT_MODE) ;
LATE_OR_ASSIGN : LINES? '|=' -> type(OR_ASSIGN), mode(DEFAULT_MODE) ;
LATE_INCREMENT : '+' '+' -> type(INCREMENT) ;
LATE_DECREMENT : '-' '-' -> type(DECREMENT) ;
LATE_ADD : LINES? '+' -> type(ADD), mode(DEFAULT_MODE) ;
LATE_SUBTRACT : LINES? '-' -> type(SUBTRACT), mode(DEFAULT_MODE) ;
LATE_MULTIPLY : LINES? '*' -> type(MULTIPLY), mode(DEFAULT_MODE) ;
LATE_DIVIDE : LINES? '/' -> type(DIVIDE), mode(DEFAULT_MODE) ;
LATE_REMAINDER : LINES? '%' -> type(REMAINDER), mode(DEFAULT_MODE) ;
LATE_LEFT : LINES? '<<' -> type(LEFT), mode(DEFAULT_MODE) ;
LATE_RIGHT : LINES? '>>' -> type(RIGHT), mode(DEFAULT_MODE) ;
LATE_UNSIGNED_RIGHT : LINES? '>>>' -> type(UNSIGNED_RIGHT), mode(DEFAULT_MODE) ;
LATE_LESS : LINES? '<' -> type(LESS), mode(DEFAULT_MODE) ;
LATE_GREATER : LINES? '>' -> type(GREATER), mode(DEFAULT_MODE) ;
LATE_AT_MOST : LINES? '<=' -> type(AT_MOST), mode(DEFAULT_MODE) ;
LATE_AT_LEAST : LINES? '>=' -> type(AT_LEAST), mode(DEFAULT_MODE) ;
LATE_EQUAL : LINES? '==' -> type(EQUAL), mode(DEFAULT_MODE) ;
LATE_UNEQUAL : LINES? '!=' -> type(UNEQUAL), mode(DEFAULT_MODE) ;
LATE_IDENTICAL : LINES? '===' -> type(IDENTICAL), mode(DEFAULT_MODE) ;
LATE_NOT_IDENTICAL : LINES? '!==' -> type(NOT_IDENTICAL), mode(DEFAULT_MODE) ;
LATE_BIT_AND : LINES? '&' -> type(BIT_AND), mode(DEFAULT_MODE) ;
LATE_BIT_XOR : LINES? '^' -> type(BIT_XOR), mode(DEFAULT_MODE) ;
LATE_BIT_OR : LINES? '|' -> type(BIT_OR), mode(DEFAULT_MODE) ;
LATE_AND : LINES? '&&' -> type(AND), mode(DEFAULT_MODE) ;
LATE_OR : LINES? '||' -> type(OR), mode(DEFAULT_MODE) ;
LATE_NOT : [!] -> type(NOT), mode(DEFAULT_MODE) ;
LATE_COMPLEMENT : [~] -> type(COMPLEMENT), mode(DEFAULT_MODE) ;
LATE_BACKTICK : LINES? '`' -> type(BACKTICK), pushMode(TEMPLATE) ;

LATE_BREAK : [b] 'reak' -> type(BREAK) ;
LATE_CASE : [c] 'ase' -> type(CASE), mode(DEFAULT_MODE) ;
LATE_CATCH : [c] 'atch' -> type(CATCH), mode(DEFAULT_MODE) ;
LATE_CLASS : [c] 'lass' -> type(CLASS), mode(DEFAULT_MODE) ;
LATE_CONST : [c] 'onst' -> type(CONST), mode(DEFAULT_MODE) ;
LATE_CONTINUE : [c] 'ontinue' -> type(CONTINUE) ;
LATE_DEBUGGER : [d] 'ebugger' -> type(DEBUGGER) ;
LATE_DEFAULT : [d] 'efault' -> type(DEFAULT), mode(DEFAULT_MODE) ;
LATE_DELETE : [d] 'elete' -> type(DELETE), mode(DEFAULT_MODE) ;
LATE_DO : [d] 'o' -> type(DO), mode(DEFAULT_MODE) ;
LATE_ELSE : [e] 'lse' -> type(ELSE), mode(DEFAULT_MODE) ;
LATE_ENUM : [e] 'num' -> type(ENUM), mode(DEFAULT_MODE) ;
LATE_EXPORT : [e] 'xport' -> type(EXPORT), mode(DEFAULT_MODE) ;
LATE_EXTENDS : [e] 'xtends' -> type(EXTENDS), mode(DEFAULT_MODE) ;
LATE_FALSE : [f] 'alse' -> type(FALSE) ;
LATE_FINALLY : [f] 'inally' -> type(FINALLY), mode(DEFAULT_MODE) ;
LATE_FOR : [f] 'or' -> type(FOR), mode(CONTROL) ;
LATE_FUNCTION : [f] 'unction' -> type(FUNCTION), mode(DEFAULT_MODE) ;
LATE_IF : [i] 'f' -> type(IF), mode(CONTROL) ;
LATE_IMPORT : [i] 'mport' -> type(IMPORT), mode(DEFAULT_MODE) ;
LATE_IN : [i] 'n' -> type(IN), mode(DEFAULT_MODE) ;
LATE_INSTANCEOF : [i] 'nstanceof' -> type(INSTANCEOF), mode(DEFAULT_MODE) ;
LATE_LET : [l] 'et' -> type(LET), mode(DEFAULT_MODE) ;
LATE_NEW : [n] 'ew' -> type(NEW), mode(DEFAULT_MODE) ;
LATE_NULL : [n] 'ull' -> type(NULL) ;
LATE_RETURN : [r] 'eturn' -> type(RETURN), mode(DEFAULT_MODE) ;
LATE_STATIC : [s] 'tatic' -> type(STATIC), mode(DEFAULT_MODE) ;
LATE_SUPER : [s] 'uper' -> type(SUPER) ;
LATE_SWITCH : [s] 'witch' -> type(SWITCH), mode(DEFAULT_MODE) ;
LATE_THIS : [t] 'his' -> type(THIS) ;
LATE_THROW : [t] 'hrow' -> type(THROW), mode(DEFAULT_MODE) ;
LATE_TRUE : [t] 'rue' -> type(TRUE) ;
LATE_TRY : [t] 'ry' -> type(TRY), mode(DEFAULT_MODE) ;
LATE_TYPEOF : [t] 'ypeof' -> type(TYPEOF), mode(DEFAULT_MODE) ;
LATE_VAR : [v] 'ar' -> type(VAR), mode(DEFAULT_MODE) ;
LATE_VOID : [v] 'oid' -> type(VOID), mode(DEFAULT_MODE) ;
LATE_WHILE : [w] 'hile' -> type(WHILE), mode(CONTROL) ;
LATE_WITH : [w] 'ith' -> type(WITH), mode(CONTROL) ;
LATE_YIELD : [y] 'ield' -> type(YIELD), mode(DEFAULT_MODE) ;

LATE_RETURN_LINE : [r] 'eturn' LINE_END -> type(RETURN_LINE), mode(DEFAULT_MODE) ;
LATE_ACCESSOR_GET : GETTER -> type(ACCESSOR_GET) ;
LATE_ACCESSOR_SET : SETTER -> type(ACCESSOR_SET) ;
LATE_CONSTRUCTOR : CONSTRUCTOR_HEAD -> type(CONSTRUCTOR), pushMode(DEFAULT_MODE) ;
OF : 'of' -> mode(DEFAULT_MODE) ;
LATE_IDENTIFIER : WORD -> type(IDENTIFIER) ;
LATE_NUMBER : NUMERAL -> type(NUMBER) ;
LATE_STRAY_NUMBER : (DECIMAL | RADIX) WORD_PART -> type(STRAY) ;
LATE_STRING : QUOTATION -> type(STRING) ;

// Keywords that continue a statement on the next line, with a delimiter that ends the word.
LINE_ELSE : LINES 'else' (BLANK | EOL) -> mode(DEFAULT_MODE) ; // the line end before else may be a semicolon
LINE_CATCH : LINES 'catch' BLANK* '(' -> pushMode(DEFAULT_MODE) ;
LINE_FINALLY : LINES 'finally' (BLANK | EOL)* '{' -> pushMode(DEFAULT_MODE) ;

LATE_LINE_COMMENT : LINE_REMARK -> skip ;
LATE_COMMENT : REMARK -> skip ;
LATE_SPACE : BLANK+ -> skip ;

mode CONTROL;

CONTROL_OPEN : (BLANK | EOL)* '(' -> type(OPEN_PAREN), mode(DEFAULT_MODE), pushMode(DEFAULT_MODE) ;
CONTROL_COLON : (BLANK | EOL)* ':' -> type(COLON), mode(DEFAULT_MODE) ; // the keyword was a property name
CONTROL_COMMENT : REMARK -> skip ;
CONTROL_SPACE : (BLANK | EOL)+ -> skip ;

mode DOTTED;

PROPERTY : WORD -> mode(OPERAND) ;

// Never matched in valid scripts. They define the literals of tokens whose rules above have more than one command.
OPEN_PAREN : '(' ;
OPEN_BRACKET : '[' ;
OPEN_BRACE : '{' ;
BACKTICK : '`' ;

DOTTED_LINE_COMMENT : LINE_REMARK -> skip ;
DOTTED_COMMENT : REMARK -> skip ;
DOTTED_SPACE : (BLANK | EOL)+ -> skip ;

mode TEMPLATE;

TEMPLATE_TEXT : (~[`\\$] | '$'+ ~[{`\\$] | '$'* '\\' (~[0-9xu] | UNICODE))+ ;
DOLLAR : '$' ;
OPEN_SUBSTITUTION : '${' -> pushMode(DEFAULT_MODE) ;
CLOSE_TEMPLATE : [`] -> type(BACKTICK), popMode ;

fragment WORD : WORD_START WORD_PART* ;
fragment GETTER : 'get' BLANK+ (WORD | QUOTATION | NUMERAL) ;
fragment SETTER : 'set' BLANK+ (WORD | QUOTATION | NUMERAL) ;
fragment CONSTRUCTOR_HEAD : 'constructor' BLANK* '(' ;
fragment WORD_START : [a-zA-Z$_] | [\p{Lu}\p{Ll}\p{Lt}\p{Lo}\p{Nl}] ;
fragment WORD_PART : [a-zA-Z0-9$_] | [\p{Lu}\p{Ll}\p{Lt}\p{Lo}\p{Nl}\p{Mn}\p{Mc}\p{Nd}\p{Pc}\u200C\u200D] ;

fragment NUMERAL : DECIMAL | RADIX ;
fragment DECIMAL : (DIGITS ('.' [0-9]*)? | '.' [0-9]+) EXPONENT? ;
fragment RADIX : '0' ([xX] HEX+ | [oO] [0-7]+ | [bB] [01]+) ;
fragment DIGITS : '0' | [1-9] [0-9]* ;
fragment EXPONENT : [eE] [+\-]? [0-9]+ ;
fragment HEX : [0-9a-fA-F] ;

fragment QUOTATION : DOUBLE_QUOTED | SINGLE_QUOTED ;
fragment DOUBLE_QUOTED : '"' (~["\\\r\n\u2028\u2029] | ESCAPE)* '"' ;
fragment SINGLE_QUOTED : '\'' (~['\\\r\n\u2028\u2029] | ESCAPE)* '\'' ;
fragment ESCAPE : '\\' (~[xu\r\n\u2028\u2029] | '\r'? '\n' | [\r\u2028\u2029] | UNICODE) ;

fragment UNICODE
    : 'x' HEX HEX
    | 'u' HEX HEX HEX HEX
    | 'u{' '0'* HEX HEX? HEX? HEX? HEX? '}'
    | 'u{10' HEX HEX HEX HEX '}'
    ;

// Regular expressions. A hyphen in a class is an ordinary character.
fragment PATTERN : ALTERNATIVE ('|' ALTERNATIVE?)* | ('|' ALTERNATIVE?)+ ;
fragment ALTERNATIVE : TERM+ ;
fragment TERM : ASSERTION | ATOM QUANTIFIER? ;
fragment ASSERTION : [^$] | '\\' [bB] ;
fragment ATOM
    : ~[/\\^$.*+?()[{|\r\n\u2028\u2029]
    | '.'
    | '{'
    | '\\' ~[bB\r\n\u2028\u2029]
    | '[' '^'? (~[\]\\\r\n\u2028\u2029] | '\\' ~[\r\n\u2028\u2029])* ']'
    | '(' ('?:' | '?=' | '?!')? PATTERN? ')'
    ;
fragment QUANTIFIER : ([*+?] | '{' [0-9]+ ','? '}' | '{' FROM_TO '}') '?'? ;
fragment FROM_TO // bounds in ascending order, for likely numbers
    : '0,' [0-9]+
    | '1,' [1-9] [0-9]*
    | '2,' [2-9]
    | '3,' [3-9]
    | '4,' [4-9]
    | '5,' [5-9]
    | '6,' [6-9]
    | [2-9] ',' [1-9] [0-9]+
    | [1-9] [0-9] ',' [1-9] [0-9] [0-9]+
    ;
fragment FLAGS
    : 'g'? 'i'? 'm'? 'y'?
    | 'g'? 'm' 'i'
    | 'i' 'g' 'm'?
    | 'i' 'm' 'g'
    | 'm' 'g' 'i'?
    | 'm' 'i' 'g'
    ;

fragment BLANK : [ \t\u000B\f\u00A0\uFEFF\p{Zs}] ;
fragment EOL : [\r\n\u2028\u2029] ;
fragment LINE_REMARK : '//' ~[\r\n\u2028\u2029]* ;
fragment REMARK : '/*' (~'*' | '*'+ ~[*/])* '*'+ '/' ;
fragment LINE_END : (BLANK | REMARK)* LINE_REMARK? EOL ;
fragment LINES : LINE_END+ (BLANK | REMARK)* ;
