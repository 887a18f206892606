def branches(c):
    """A docstring is no code."""
    if c == "1":
        x = (
            1 +
            len(c)
        )
    elif c == "2":
        x = 2
    else:
        x = 3
        with open("/dev/null"):
            x += 1
    if c == "3": return None
    for i in range(x):
        try:
            int(c)
        except ValueError:
            break
        finally:
            x += 1
    else:
        return x
    while True:
        if c:
            return x
