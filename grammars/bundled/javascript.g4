// JavaScript: scripts of ECMAScript 2015.
//
// The grammar serves generation as well as parsing. Where rules can express it, they exclude early errors: return occurs
// only in functions, break in loops, super in methods, yield in generators, and only valid targets are assigned to.
// Therefore most statement rules exist in several contexts.
//
// Approximations:
//  - The lexer turns line ends into semicolons, depending on the tokens around them: see javascriptLexer.g4. The while
//    of a do with braces is on the line of the closing brace; in and instanceof do not begin a line.
//  - A statement ends in a semicolon, a line end, or before a closing brace; an else without braces after braces only in
//    the first two. An else belongs to the nearest if, although the rules are ambiguous.
//  - Brackets in assignment targets contain only plain expressions, no functions: rules target and plain.
//  - Only loops have labels, and only functions have jumps to them. Declarations of labels and duplicate declarations of
//    names are not checked.
//  - yield occurs only in statements of a generator and super only in statements of a method, not in all expressions.
//    with occurs only in scripts, not in functions. Statements do not begin with regular expressions.
//  - let, static and yield are never names.
//  - Escapes in names, legacy octal numbers, the flag u of regular expressions, new.target and HTML comments are left out.
parser grammar javascript;

options { tokenVocab = javascriptLexer; }

javascript : statements EOF ;

// Statements of a script: there is nothing to return from, and nothing to break

statements : line (';' line)* ;

line : (declaration | statement)* (lexical | unended)? ;

statement
    : '{' statements '}'
    | if
    | loopInLoop
    | switchInLoop
    | try
    | IDENTIFIER ':' loopInLoop
    | with
    ;

unended
    : simple
    | 'if' '(' expression ')' unended ((';' 'else' | LINE_ELSE) unended)?
    | loopHead unendedInLoop
    | IDENTIFIER ':' loopHead unendedInLoop
    ;

if
    : 'if' '(' expression ')'
      ( statement (('else' | LINE_ELSE) (statement | unended? ';'))?
      | unended (';' 'else' | LINE_ELSE) statement
      | ';' ('else' (statement | unended? ';'))?
      )
    ;

try : 'try' '{' statements '}' (handler cleanup? | cleanup) ;

handler : ('catch' '(' | LINE_CATCH) binding ')' '{' statements '}' ;

cleanup : ('finally' '{' | LINE_FINALLY) statements '}' ;

// Statements of a loop or switch of a script

statementsInLoop : lineInLoop (';' lineInLoop)* ;

lineInLoop : (declaration | statementInLoop)* (lexical | unendedInLoop)? ;

statementInLoop
    : '{' statementsInLoop '}'
    | ifInLoop
    | loopInLoop
    | switchInLoop
    | tryInLoop
    | IDENTIFIER ':' loopInLoop
    ;

unendedInLoop
    : simple
    | 'if' '(' expression ')' unendedInLoop ((';' 'else' | LINE_ELSE) unendedInLoop)?
    | loopHead unendedInLoop
    | IDENTIFIER ':' loopHead unendedInLoop
    | 'break'
    | 'continue'
    ;

ifInLoop
    : 'if' '(' expression ')'
      ( statementInLoop (('else' | LINE_ELSE) (statementInLoop | unendedInLoop? ';'))?
      | unendedInLoop (';' 'else' | LINE_ELSE) statementInLoop
      | ';' ('else' (statementInLoop | unendedInLoop? ';'))?
      )
    ;

tryInLoop : 'try' '{' statementsInLoop '}' (handlerInLoop cleanupInLoop? | cleanupInLoop) ;

handlerInLoop : ('catch' '(' | LINE_CATCH) binding ')' '{' statementsInLoop '}' ;

cleanupInLoop : ('finally' '{' | LINE_FINALLY) statementsInLoop '}' ;

// Statements of a function

statementsInFunction : lineInFunction (';' lineInFunction)* ;

lineInFunction : (declaration | statementInFunction)* (lexical | unendedInFunction)? ;

statementInFunction
    : '{' statementsInFunction '}'
    | ifInFunction
    | loopInFunctionLoop
    | switchInFunctionLoop
    | tryInFunction
    | labelled
    | RETURN_LINE
    ;

unendedInFunction
    : simple
    | 'if' '(' expression ')' unendedInFunction ((';' 'else' | LINE_ELSE) unendedInFunction)?
    | loopHead unendedInFunctionLoop
    | IDENTIFIER ':' loopHead unendedInLabelled
    | 'return' expression?
    ;

ifInFunction
    : 'if' '(' expression ')'
      ( statementInFunction (('else' | LINE_ELSE) (statementInFunction | unendedInFunction? ';'))?
      | unendedInFunction (';' 'else' | LINE_ELSE) statementInFunction
      | ';' ('else' (statementInFunction | unendedInFunction? ';'))?
      )
    ;

tryInFunction : 'try' '{' statementsInFunction '}' (handlerInFunction cleanupInFunction? | cleanupInFunction) ;

handlerInFunction : ('catch' '(' | LINE_CATCH) binding ')' '{' statementsInFunction '}' ;

cleanupInFunction : ('finally' '{' | LINE_FINALLY) statementsInFunction '}' ;

// Statements of a loop or switch in a function

statementsInFunctionLoop : lineInFunctionLoop (';' lineInFunctionLoop)* ;

lineInFunctionLoop : (declaration | statementInFunctionLoop)* (lexical | unendedInFunctionLoop)? ;

statementInFunctionLoop
    : '{' statementsInFunctionLoop '}'
    | ifInFunctionLoop
    | loopInFunctionLoop
    | switchInFunctionLoop
    | tryInFunctionLoop
    | labelled
    | RETURN_LINE
    ;

unendedInFunctionLoop
    : simple
    | 'if' '(' expression ')' unendedInFunctionLoop ((';' 'else' | LINE_ELSE) unendedInFunctionLoop)?
    | loopHead unendedInFunctionLoop
    | IDENTIFIER ':' loopHead unendedInLabelled
    | 'return' expression?
    | 'break'
    | 'continue'
    ;

ifInFunctionLoop
    : 'if' '(' expression ')'
      ( statementInFunctionLoop (('else' | LINE_ELSE) (statementInFunctionLoop | unendedInFunctionLoop? ';'))?
      | unendedInFunctionLoop (';' 'else' | LINE_ELSE) statementInFunctionLoop
      | ';' ('else' (statementInFunctionLoop | unendedInFunctionLoop? ';'))?
      )
    ;

tryInFunctionLoop : 'try' '{' statementsInFunctionLoop '}' (handlerInFunctionLoop cleanupInFunctionLoop? | cleanupInFunctionLoop) ;

handlerInFunctionLoop : ('catch' '(' | LINE_CATCH) binding ')' '{' statementsInFunctionLoop '}' ;

cleanupInFunctionLoop : ('finally' '{' | LINE_FINALLY) statementsInFunctionLoop '}' ;

// Statements of a loop with a label

statementsInLabelled : lineInLabelled (';' lineInLabelled)* ;

lineInLabelled : (declaration | statementInLabelled)* (lexical | unendedInLabelled)? ;

statementInLabelled
    : '{' statementsInLabelled '}'
    | ifInLabelled
    | loopInLabelled
    | switchInLabelled
    | tryInLabelled
    | labelled
    | RETURN_LINE
    ;

unendedInLabelled
    : simple
    | 'if' '(' expression ')' unendedInLabelled ((';' 'else' | LINE_ELSE) unendedInLabelled)?
    | loopHead unendedInLabelled
    | IDENTIFIER ':' loopHead unendedInLabelled
    | 'return' expression?
    | ('break' | 'continue') IDENTIFIER?
    ;

ifInLabelled
    : 'if' '(' expression ')'
      ( statementInLabelled (('else' | LINE_ELSE) (statementInLabelled | unendedInLabelled? ';'))?
      | unendedInLabelled (';' 'else' | LINE_ELSE) statementInLabelled
      | ';' ('else' (statementInLabelled | unendedInLabelled? ';'))?
      )
    ;

tryInLabelled : 'try' '{' statementsInLabelled '}' (handlerInLabelled cleanupInLabelled? | cleanupInLabelled) ;

handlerInLabelled : ('catch' '(' | LINE_CATCH) binding ')' '{' statementsInLabelled '}' ;

cleanupInLabelled : ('finally' '{' | LINE_FINALLY) statementsInLabelled '}' ;

// Statements of a generator

statementsInGenerator : lineInGenerator (';' lineInGenerator)* ;

lineInGenerator : (declaration | statementInGenerator)* (lexical | unendedInGenerator)? ;

statementInGenerator
    : '{' statementsInGenerator '}'
    | ifInGenerator
    | loopInGeneratorLoop
    | switchInGeneratorLoop
    | tryInGenerator
    | labelled
    | RETURN_LINE
    ;

unendedInGenerator
    : simple
    | 'if' '(' expression ')' unendedInGenerator ((';' 'else' | LINE_ELSE) unendedInGenerator)?
    | loopHead unendedInGeneratorLoop
    | IDENTIFIER ':' loopHead unendedInLabelled
    | 'return' (expression | yield)?
    | yield
    | target '=' yield
    | 'var' IDENTIFIER '=' yield (',' variable)*
    ;

ifInGenerator
    : 'if' '(' expression ')'
      ( statementInGenerator (('else' | LINE_ELSE) (statementInGenerator | unendedInGenerator? ';'))?
      | unendedInGenerator (';' 'else' | LINE_ELSE) statementInGenerator
      | ';' ('else' (statementInGenerator | unendedInGenerator? ';'))?
      )
    ;

tryInGenerator : 'try' '{' statementsInGenerator '}' (handlerInGenerator cleanupInGenerator? | cleanupInGenerator) ;

handlerInGenerator : ('catch' '(' | LINE_CATCH) binding ')' '{' statementsInGenerator '}' ;

cleanupInGenerator : ('finally' '{' | LINE_FINALLY) statementsInGenerator '}' ;

// Statements of a loop or switch in a generator

statementsInGeneratorLoop : lineInGeneratorLoop (';' lineInGeneratorLoop)* ;

lineInGeneratorLoop : (declaration | statementInGeneratorLoop)* (lexical | unendedInGeneratorLoop)? ;

statementInGeneratorLoop
    : '{' statementsInGeneratorLoop '}'
    | ifInGeneratorLoop
    | loopInGeneratorLoop
    | switchInGeneratorLoop
    | tryInGeneratorLoop
    | labelled
    | RETURN_LINE
    ;

unendedInGeneratorLoop
    : simple
    | 'if' '(' expression ')' unendedInGeneratorLoop ((';' 'else' | LINE_ELSE) unendedInGeneratorLoop)?
    | loopHead unendedInGeneratorLoop
    | IDENTIFIER ':' loopHead unendedInLabelled
    | 'return' (expression | yield)?
    | 'break'
    | 'continue'
    | yield
    | target '=' yield
    | 'var' IDENTIFIER '=' yield (',' variable)*
    ;

ifInGeneratorLoop
    : 'if' '(' expression ')'
      ( statementInGeneratorLoop (('else' | LINE_ELSE) (statementInGeneratorLoop | unendedInGeneratorLoop? ';'))?
      | unendedInGeneratorLoop (';' 'else' | LINE_ELSE) statementInGeneratorLoop
      | ';' ('else' (statementInGeneratorLoop | unendedInGeneratorLoop? ';'))?
      )
    ;

tryInGeneratorLoop : 'try' '{' statementsInGeneratorLoop '}' (handlerInGeneratorLoop cleanupInGeneratorLoop? | cleanupInGeneratorLoop) ;

handlerInGeneratorLoop : ('catch' '(' | LINE_CATCH) binding ')' '{' statementsInGeneratorLoop '}' ;

cleanupInGeneratorLoop : ('finally' '{' | LINE_FINALLY) statementsInGeneratorLoop '}' ;

// Loops

loopInLoop
    : loopHead (statementInLoop | ';')
    | 'do' (statementInLoop | unendedInLoop? ';') 'while' '(' expression ')'
    ;

switchInLoop
    : 'switch' '(' expression ')' '{' '}'
    | 'switch' '(' expression ')' '{' (caseInLoop+ (defaultInLoop caseInLoop*)? | defaultInLoop caseInLoop*) (lexical | unendedInLoop)? '}'
    ;

caseInLoop : 'case' expression ':' clauseInLoop ;

defaultInLoop : 'default' ':' clauseInLoop ;

clauseInLoop : (declaration | statementInLoop)* ((lexical | unendedInLoop)? ';' (declaration | statementInLoop)*)* ;

loopInFunctionLoop
    : loopHead (statementInFunctionLoop | ';')
    | 'do' (statementInFunctionLoop | unendedInFunctionLoop? ';') 'while' '(' expression ')'
    ;

switchInFunctionLoop
    : 'switch' '(' expression ')' '{' '}'
    | 'switch' '(' expression ')' '{' (caseInFunctionLoop+ (defaultInFunctionLoop caseInFunctionLoop*)? | defaultInFunctionLoop caseInFunctionLoop*) (lexical | unendedInFunctionLoop)? '}'
    ;

caseInFunctionLoop : 'case' expression ':' clauseInFunctionLoop ;

defaultInFunctionLoop : 'default' ':' clauseInFunctionLoop ;

clauseInFunctionLoop : (declaration | statementInFunctionLoop)* ((lexical | unendedInFunctionLoop)? ';' (declaration | statementInFunctionLoop)*)* ;

loopInLabelled
    : loopHead (statementInLabelled | ';')
    | 'do' (statementInLabelled | unendedInLabelled? ';') 'while' '(' expression ')'
    ;

switchInLabelled
    : 'switch' '(' expression ')' '{' '}'
    | 'switch' '(' expression ')' '{' (caseInLabelled+ (defaultInLabelled caseInLabelled*)? | defaultInLabelled caseInLabelled*) (lexical | unendedInLabelled)? '}'
    ;

caseInLabelled : 'case' expression ':' clauseInLabelled ;

defaultInLabelled : 'default' ':' clauseInLabelled ;

clauseInLabelled : (declaration | statementInLabelled)* ((lexical | unendedInLabelled)? ';' (declaration | statementInLabelled)*)* ;

loopInGeneratorLoop
    : loopHead (statementInGeneratorLoop | ';')
    | 'do' (statementInGeneratorLoop | unendedInGeneratorLoop? ';') 'while' '(' expression ')'
    ;

switchInGeneratorLoop
    : 'switch' '(' expression ')' '{' '}'
    | 'switch' '(' expression ')' '{' (caseInGeneratorLoop+ (defaultInGeneratorLoop caseInGeneratorLoop*)? | defaultInGeneratorLoop caseInGeneratorLoop*) (lexical | unendedInGeneratorLoop)? '}'
    ;

caseInGeneratorLoop : 'case' expression ':' clauseInGeneratorLoop ;

defaultInGeneratorLoop : 'default' ':' clauseInGeneratorLoop ;

clauseInGeneratorLoop : (declaration | statementInGeneratorLoop)* ((lexical | unendedInGeneratorLoop)? ';' (declaration | statementInGeneratorLoop)*)* ;

loopHead
    : 'while' '(' expression ')'
    | 'for' '(' forInit? ';' expression? ';' expression? ')'
    | 'for' '(' (('var' | 'let' | 'const') binding | target | targets) ('in' expression | 'of' assignment) ')'
    ;

forInit
    : 'var' variable (',' variable)*
    | lexical
    | expression
    ;

with : 'with' '(' expression ')' (statement | ';') ;

labelled : IDENTIFIER ':' loopInLabelled ;

yield : 'yield' ('*'? assignment)? ;

simple
    : 'var' variable (',' variable)*
    | 'throw' expression
    | 'debugger'
    | startExpression
    ;

lexical
    : 'let' variable (',' variable)*
    | 'const' constant (',' constant)*
    ;

variable
    : IDENTIFIER ('=' assignment)?
    | pattern '=' assignment
    ;

constant : binding '=' assignment ;

// Bindings and patterns

binding : IDENTIFIER | pattern ;

pattern
    : '[' elements? ']'
    | '{' (member (',' member)* ','?)? '}'
    ;

elements : ','* element (','+ element)* ','* (',' '...' IDENTIFIER)? ;

element : binding ('=' assignment)? ;

member
    : IDENTIFIER ('=' assignment)?
    | propertyName ':' element
    ;

// Functions and classes

declaration
    : 'function' IDENTIFIER parameters '{' statementsInFunction '}'
    | 'function' '*' IDENTIFIER parameters '{' statementsInGenerator '}'
    | 'class' IDENTIFIER classTail
    ;

function
    : 'function' IDENTIFIER? parameters '{' statementsInFunction '}'
    | 'function' '*' IDENTIFIER? parameters '{' statementsInGenerator '}'
    ;

parameters : '(' parameterList? ')' ;

parameterList
    : element (',' element)* (',' '...' IDENTIFIER)?
    | '...' IDENTIFIER
    ;

arrow : (IDENTIFIER | arrowParameters) '=>' (startAssignment | function | class | REGEX ('.' PROPERTY | '[' expression ']' | arguments)* | '{' statementsInFunction '}') ;

arrowParameters
    : '(' (arrowElement (',' arrowElement)* (',' '...' IDENTIFIER)?)? ')'
    | '(' '...' IDENTIFIER ')'
    ;

arrowElement : (IDENTIFIER | arrowPattern) ('=' plain)? ;

arrowPattern
    : '[' ','* (arrowElement (','+ arrowElement)* ','*)? ']'
    | '{' (arrowProperty (',' arrowProperty)* ','?)? '}'
    ;

arrowProperty
    : IDENTIFIER ('=' plain)?
    | (word | STRING | NUMBER) ':' arrowElement
    ;

class : 'class' IDENTIFIER? classTail ;

classTail
    : '{' classElement* (constructor classElement*)? '}'
    | 'extends' lhs '{' classElement* (derivedConstructor classElement*)? '}'
    ;

constructor : CONSTRUCTOR parameterList? ')' methodBody ;

derivedConstructor : CONSTRUCTOR parameterList? ')' '{' derivedLine (';' derivedLine)* '}' ;

derivedLine : (declaration | statementInFunction)* (lexical | unendedInFunction | superMember | superProperty '=' assignment | 'super' arguments)? ;

classElement
    : 'static'? classMethod
    | ';'
    ;

classMethod
    : classMethodName parameters methodBody
    | '*' classMethodName parameters '{' statementsInGenerator '}'
    | accessor
    ;

classMethodName
    : word
    | '[' assignment ']'
    ;

accessor
    : ACCESSOR_GET '(' ')' methodBody
    | ACCESSOR_SET '(' element ')' methodBody
    ;

method
    : propertyName parameters methodBody
    | '*' propertyName parameters '{' statementsInGenerator '}'
    | CONSTRUCTOR parameterList? ')' methodBody
    | accessor
    ;

methodBody : '{' methodLine (';' methodLine)* '}' ;

methodLine : (declaration | statementInFunction)* (lexical | unendedInFunction | ('return' | 'var' IDENTIFIER '=')? superMember | superProperty '=' assignment)? ;

superMember : superProperty ('.' PROPERTY | '[' expression ']' | arguments)* ;

superProperty : 'super' ('.' PROPERTY | '[' expression ']') ;

// Expressions

expression : assignment (',' assignment)* ;

assignment
    : operation ('?' assignment ':' assignment)?
    | target assignmentOperator assignment
    | targets '=' assignment
    | arrow
    ;

assignmentOperator
    : '=' | '+=' | '-=' | '*=' | '/=' | '%=' | '<<=' | '>>=' | '>>>=' | '&=' | '^=' | '|='
    ;

operation
    : ('delete' | 'void' | 'typeof' | '+' | '-' | '~' | '!') operation
    | operation ('*' | '/' | '%') operation
    | operation ('+' | '-') operation
    | operation ('<<' | '>>' | '>>>') operation
    | operation ('<' | '>' | '<=' | '>=' | 'instanceof' | 'in') operation
    | operation ('==' | '!=' | '===' | '!==') operation
    | operation '&' operation
    | operation '^' operation
    | operation '|' operation
    | operation '&&' operation
    | operation '||' operation
    | ('++' | '--') target
    | target ('++' | '--')
    | 'new' callee
    | lhs
    ;

lhs
    : lhs '.' PROPERTY
    | lhs '[' expression ']'
    | lhs arguments
    | lhs template
    | 'new' callee arguments
    | primary
    ;

// Assignment targets. Their arguments and brackets are plain expressions, so that the lookahead to the = after a target
// is bounded.
target
    : IDENTIFIER
    | targetBase (plainArguments* targetMember)+
    ;

targetBase
    : IDENTIFIER
    | 'this'
    | '(' plain ')'
    ;

targetMember
    : '.' PROPERTY
    | '[' plain ']'
    ;

targets
    : '[' targetList ']'
    | '{' (targetProperty (',' targetProperty)* ','?)? '}'
    ;

targetList : ','* (targetElement (','+ targetElement)* ','* (',' '...' target)?)? ;

targetElement : (target | targets) ('=' plain)? ;

targetProperty
    : IDENTIFIER ('=' plain)?
    | (word | STRING | NUMBER) ':' targetElement
    ;

plainArguments : '(' (plain (',' plain)*)? ')' ;

plain
    : plainOperand (plainOperator plainOperand)* ('?' plain ':' plain)?
    | target assignmentOperator plain
    ;

plainOperator
    : '+' | '-' | '*' | '/' | '%' | '<<' | '>>' | '>>>' | '<' | '>' | '<=' | '>=' | '==' | '!=' | '===' | '!==' | '&' | '^' | '|'
    | '&&' | '||' | 'in' | 'instanceof'
    ;

plainOperand
    : ('-' | '+' | '!' | '~' | 'typeof') plainOperand
    | ('++' | '--') target
    | target ('++' | '--')
    | 'new'? targetBase (targetMember | plainArguments)*
    | '{' '}'
    | '[' (plain (',' plain)*)? ']'
    | '`' TEMPLATE_TEXT? '$'* ('${' plain '}' TEMPLATE_TEXT? '$'*)* '`'
    | 'null'
    | 'true'
    | 'false'
    | NUMBER
    | STRING
    | REGEX
    ;

callee : (primary | 'new' callee arguments) ('.' PROPERTY | '[' expression ']')* ;

arguments : '(' (argument (',' argument)*)? ')' ;

argument : '...'? assignment ;

primary
    : startPrimary
    | REGEX
    | object
    | function
    | class
    ;

// Expressions at the start of a statement: they do not begin with a brace, function or class

startExpression : startAssignment (',' assignment)* ;

startAssignment
    : startOperation ('?' assignment ':' assignment)?
    | target assignmentOperator assignment
    | '[' targetList ']' '=' assignment
    | arrow
    ;

startOperation
    : ('delete' | 'void' | 'typeof' | '+' | '-' | '~' | '!') startOperation
    | startOperation ('*' | '/' | '%') startOperation
    | startOperation ('+' | '-') startOperation
    | startOperation ('<<' | '>>' | '>>>') startOperation
    | startOperation ('<' | '>' | '<=' | '>=' | 'instanceof' | 'in') startOperation
    | startOperation ('==' | '!=' | '===' | '!==') startOperation
    | startOperation '&' startOperation
    | startOperation '^' startOperation
    | startOperation '|' startOperation
    | startOperation '&&' startOperation
    | startOperation '||' startOperation
    | startOperation ('||' | '&&' | '==' | '!=' | '===' | '!==' | '+') braced
    | ('void' | '+' | '-' | '~' | '!') braced
    | ('++' | '--') target
    | target ('++' | '--')
    | 'new' callee
    | startLhs
    ;

braced : (object | function | class | REGEX) ('.' PROPERTY | '[' expression ']' | arguments)* ;

startLhs
    : startLhs '.' PROPERTY
    | startLhs '[' expression ']'
    | startLhs arguments
    | startLhs template
    | 'new' callee arguments
    | startPrimary
    ;

startPrimary
    : IDENTIFIER
    | 'this'
    | 'null'
    | 'true'
    | 'false'
    | NUMBER
    | STRING
    | template
    | array
    | '(' expression ')'
    ;

array : '[' ','* (argument (','+ argument)* ','*)? ']' ;

object : '{' (property (',' property)* ','?)? '}' ;

property
    : IDENTIFIER
    | propertyName ':' assignment
    | method
    ;

propertyName
    : word
    | STRING
    | NUMBER
    | '[' assignment ']'
    ;

template : '`' TEMPLATE_TEXT? '$'* ('${' expression '}' TEMPLATE_TEXT? '$'*)* '`' ;

// Names

word
    : IDENTIFIER | 'break' | 'case' | 'catch' | 'class' | 'const' | 'continue' | 'debugger' | 'default'
    | 'delete' | 'do' | 'else' | 'enum' | 'export' | 'extends' | 'false' | 'finally' | 'for' | 'function' | 'if' | 'import'
    | 'in' | 'instanceof' | 'let' | 'new' | 'null' | 'return' | 'static' | 'super' | 'switch' | 'this' | 'throw' | 'true'
    | 'try' | 'typeof' | 'var' | 'void' | 'while' | 'with' | 'yield'
    ;
