select /* inside */ 1 -- at the end
, 2 -- the last