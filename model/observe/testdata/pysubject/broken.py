def parse(text):
    pass


raise RuntimeError("broken\nat import")
