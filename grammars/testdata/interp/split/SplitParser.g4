// A parser and its lexer, each with an import.
parser grammar SplitParser;
options { tokenVocab = SplitLexer; }
import SplitRules;

start : rule_ ('+' rule_)* EOF ;
