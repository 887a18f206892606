grammar Shared;
s : 's' ;
