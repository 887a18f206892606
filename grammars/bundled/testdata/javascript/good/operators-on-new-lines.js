air = bay
  + cliff
  && dune
  ? elm
  : fog
gale
  (hill)
inlet
  [jetty]
knoll
  / lake / moor