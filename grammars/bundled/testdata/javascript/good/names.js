var $ = _, größe, 名, get, set, of, async, a1$_;
get = set(of).get.if.class