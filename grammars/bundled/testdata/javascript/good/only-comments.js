// nothing
/* at
 all */
