// SQL: the statements of the SQL standard in the form that SQLite accepts, most of which PostgreSQL shares.
//
// Approximations:
//  - Syntax of one system only is left out: pragmas, triggers, virtual tables, ::casts, arrays, dollar quotes.
//  - Operator precedence is that of PostgreSQL; where SQLite differs (a IS b = c), the input parses to another tree.
//  - ON CONFLICT of an INSERT follows VALUES only: after a SELECT it is ambiguous with the ON of a join.
//  - Keywords are names only if rule unreserved lists them.
//  - Names are not resolved: tables need not exist, and rows may differ in length.
grammar sql;

options { caseInsensitive = true; }

sql : statement? (';' statement?)* EOF ;

statement
    : select
    | insert
    | update
    | delete
    | createTable
    | createIndex
    | createView
    | alterTable
    | drop
    | transaction
    ;

// Queries

select : with? query ;

with : 'with' 'recursive'? commonTable (',' commonTable)* ;

commonTable : name columns? 'as' ('not'? 'materialized')? '(' select ')' ;

query
    : specification (setOperator query | orderBy? limit?)
    | values (setOperator query)?
    ;

setOperator
    : 'union' 'all'?
    | 'intersect'
    | 'except'
    ;

specification
    : 'select' ('distinct' | 'all')? result (',' result)* from? where? groupBy? having? windows?
    ;

result
    : '*'
    | name '.' '*'
    | expr alias?
    ;

alias
    : 'as' (name | STRING)
    | NAME
    | QUOTED
    ;

values : 'values' row (',' row)* ;

row : '(' expr (',' expr)* ')' ;

from : 'from' tables ;

tables : table (',' table | join)* ;

join
    : 'natural' joinKind? 'join' table
    | joinKind? 'join' table joinCondition?
    | 'cross' 'join' table
    ;

joinKind
    : 'inner'
    | ('left' | 'right' | 'full') 'outer'?
    ;

joinCondition
    : 'on' expr
    | 'using' columns
    ;

table
    : tableName alias?
    | name '(' (expr (',' expr)*)? ')' alias?
    | '(' select ')' alias?
    | '(' tables ')' alias?
    ;

where : 'where' expr ;

groupBy : 'group' 'by' expr (',' expr)* ;

having : 'having' expr ;

windows : 'window' name 'as' window (',' name 'as' window)* ;

orderBy : 'order' 'by' sorting (',' sorting)* ;

sorting : expr ('asc' | 'desc')? ('nulls' ('first' | 'last'))? ;

limit : 'limit' expr (('offset' | ',') expr)? ;

// Data changes

insert
    : with? ('insert' ('or' resolution)? | 'replace') 'into' tableName ('as' name)? columns? source returning?
    ;

resolution : 'rollback' | 'abort' | 'fail' | 'ignore' | 'replace' ;

source
    : values (setOperator query | upsert)?
    | specification (setOperator query | orderBy? limit?)
    | with query
    | 'default' 'values'
    ;

upsert : 'on' 'conflict' ('(' indexed (',' indexed)* ')' where?)? 'do' ('nothing' | 'update' set where?) ;

update : with? 'update' ('or' resolution)? tableName ('as' name)? set from? where? returning? ;

set : 'set' assignment (',' assignment)* ;

assignment
    : name '=' expr
    | columns '=' (row | '(' select ')')
    ;

delete : with? 'delete' 'from' tableName ('as' name)? where? returning? ;

returning : 'returning' returned (',' returned)* ;

returned
    : '*'
    | expr alias?
    ;

// Definitions

createTable
    : 'create' ('table' notExisting? tableName | temporary 'table' notExisting? name) (tableBody | 'as' select)
    ;

temporary : 'temp' | 'temporary' ;

notExisting : 'if' 'not' 'exists' ;

tableBody : '(' column (',' column)* (',' tableConstraint)* ')' tableOption? ;

tableOption : 'without' 'rowid' ;

column : name type? columnConstraint* ;

type : typeWord+ ('(' signed (',' signed)? ')' | ('with' | 'without') 'time' 'zone')? ;

typeWord : NAME | QUOTED | 'time' ;

signed : ('+' | '-')? NUMBER ;

columnConstraint
    : ('constraint' name)? columnRule
    | 'collate' name
    ;

columnRule
    : 'primary' 'key' ('asc' | 'desc')? onConflict? 'autoincrement'?
    | 'not'? 'null' onConflict?
    | 'unique' onConflict?
    | 'check' '(' expr ')'
    | 'default' defaultValue
    | references
    | ('generated' 'always')? 'as' '(' expr ')' ('stored' | 'virtual')?
    ;

defaultValue
    : ('+' | '-') NUMBER
    | literal
    | '(' expr ')'
    ;

onConflict : 'on' 'conflict' resolution ;

tableConstraint : ('constraint' name)? tableRule ;

tableRule
    : ('primary' 'key' | 'unique') '(' indexed (',' indexed)* ')' onConflict?
    | 'check' '(' expr ')'
    | 'foreign' 'key' columns references
    ;

references : 'references' name columns? referenceAction* deferral? ;

referenceAction
    : 'on' ('delete' | 'update') ('set' ('null' | 'default') | 'cascade' | 'restrict' | 'no' 'action')
    | 'match' NAME
    ;

deferral : 'not'? 'deferrable' ('initially' ('deferred' | 'immediate'))? ;

createIndex
    : 'create' 'unique'? 'index' notExisting? tableName 'on' name '(' indexed (',' indexed)* ')' where?
    ;

indexed : expr ('asc' | 'desc')? ;

createView
    : 'create' ('view' notExisting? tableName | temporary 'view' notExisting? name) columns? 'as' select
    ;

alterTable : 'alter' 'table' tableName change ;

change
    : 'rename' 'to' name
    | 'rename' 'column'? name 'to' name
    | 'add' 'column'? column
    | 'drop' 'column'? name
    ;

drop : 'drop' ('table' | 'index' | 'view' | 'trigger') ('if' 'exists')? tableName ;

transaction
    : 'begin' ('deferred' | 'immediate' | 'exclusive')? 'transaction'?
    | ('commit' | 'end') 'transaction'?
    | 'rollback' 'transaction'? ('to' 'savepoint'? name)?
    | 'savepoint' name
    | 'release' 'savepoint'? name
    ;

// Expressions

expr
    : 'not' expr
    | expr 'and' expr
    | expr 'or' expr
    | predicate
    ;

predicate
    : predicate 'not'? ('like' | 'glob' | 'regexp' | 'match') value ('escape' value)?
    | predicate 'not'? 'between' value 'and' value
    | predicate 'not'? 'in' members
    | predicate ('<' | '<=' | '>' | '>=') predicate
    | predicate ('=' | '==' | '<>' | '!=') predicate
    | predicate ('isnull' | 'notnull' | 'not' 'null')
    | predicate 'is' 'not'? ('distinct' 'from')? predicate
    | value
    ;

members
    : '(' (expr (',' expr)*)? ')'
    | '(' select ')'
    | tableName
    ;

value
    : ('-' | '+' | '~') value
    | value 'collate' name
    | value ('||' | '->' | '->>') value
    | value ('*' | '/' | '%') value
    | value ('+' | '-') value
    | value ('<<' | '>>' | '&' | '|') value
    | primary
    ;

primary
    : literal
    | PARAMETER
    | columnName
    | call
    | 'cast' '(' expr 'as' type ')'
    | 'case' expr? ('when' expr 'then' expr)+ ('else' expr)? 'end'
    | '(' expr (',' expr)* ')'
    | 'exists'? '(' select ')'
    ;

literal
    : NUMBER
    | STRING
    | BLOB
    | 'null'
    | 'true'
    | 'false'
    | 'current_date'
    | 'current_time'
    | 'current_timestamp'
    ;

call : function '(' ('*' | 'distinct'? expr (',' expr)*)? ')' filter? over? ;

function : name | 'like' | 'glob' ;

filter : 'filter' '(' where ')' ;

over : 'over' (name | window) ;

window : '(' (NAME | QUOTED)? ('partition' 'by' expr (',' expr)*)? orderBy? frame? ')' ;

frame : ('range' | 'rows' | 'groups') (frameStart | 'between' frameBetween) exclusion? ;

frameStart
    : 'unbounded' 'preceding'
    | expr 'preceding'
    | 'current' 'row'
    ;

frameBetween
    : ('unbounded' | expr) 'preceding' 'and' (expr ('preceding' | 'following') | 'current' 'row' | 'unbounded' 'following')
    | 'current' 'row' 'and' ('current' 'row' | ('unbounded' | expr) 'following')
    | expr 'following' 'and' ('unbounded' | expr) 'following'
    ;

exclusion : 'exclude' ('no' 'others' | 'current' 'row' | 'group' | 'ties') ;

// Names

tableName : name ('.' name)? ;

columnName : name ('.' name ('.' name)?)? ;

columns : '(' name (',' name)* ')' ;

name : NAME | QUOTED | unreserved ;

unreserved
    : 'abort' | 'action' | 'always' | 'asc' | 'begin' | 'by' | 'cascade' | 'conflict' | 'desc' | 'do' | 'end' | 'exclude'
    | 'fail' | 'first' | 'generated' | 'ignore' | 'key' | 'last' | 'no' | 'offset' | 'others' | 'range'
    | 'rename' | 'replace' | 'row' | 'rowid' | 'rows' | 'stored' | 'temp' | 'ties' | 'time' | 'view' | 'zone'
    ;

// Tokens

NAME : NAME_START NAME_PART* ;

QUOTED
    : '"' (~["\u0000] | '""')+ '"'
    | '`' (~[`\u0000] | '``')+ '`'
    | '[' ~[\]\u0000]+ ']'
    ;

STRING : '\'' (~['\u0000] | '\'\'')* '\'' ;

BLOB : 'x\'' (HEX HEX)* '\'' ;

NUMBER
    : DIGITS ('.' DIGITS?)? EXPONENT?
    | '.' DIGITS EXPONENT?
    | '0x' HEX+
    ;

PARAMETER
    : '?' ([1-9] [0-9]?)?
    | [:@$] NAME_PART+
    ;

// A number directly before a name, or a malformed blob, so that neither is read as two tokens.
// inroad: unused
STRAY
    : NUMBER NAME_START
    | 'x\'' ~[']* '\''
    ;

fragment DIGITS : [0-9]+ ;
fragment EXPONENT : 'e' [+\-]? DIGITS ;
fragment HEX : [0-9a-f] ;
fragment NAME_START : [a-z_\p{L}] ;
fragment NAME_PART : NAME_START | [0-9$] ;

LINE_COMMENT : '--' ~[\n]* -> skip ;
COMMENT : '/*' .*? '*/' -> skip ;
SPACE : [ \t\r\n\f]+ -> skip ;
