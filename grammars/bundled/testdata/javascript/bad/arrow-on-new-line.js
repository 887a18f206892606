var f = x
=> x