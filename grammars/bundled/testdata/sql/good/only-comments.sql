-- nothing
/* at
all */
