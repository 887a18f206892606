parser grammar Helper;
h : E ;
