grammar Unclosed;
a : { never closed // ERROR "^.{. is not closed$"
  ;
