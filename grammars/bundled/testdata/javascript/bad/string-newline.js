"a
b"