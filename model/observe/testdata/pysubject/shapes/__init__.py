"""Functions of all shapes."""

import functools

from .lines import branches


def parse(text):
    for c in text:
        result = SHAPES.get(c, branches)(c)
        if hasattr(result, "__next__"):
            list(result)


def decorated(function):
    @functools.wraps(function)
    def wrapper(c):
        return function(c)

    return wrapper


@decorated
def wrapped(c):
    return [x for x in c] + list(y for y in c)


class Outer:
    def __init__(self, c):
        self.c = c

    @property
    def first(self):
        return self.c[0]

    class Inner:
        @staticmethod
        def static(c):
            return Outer(c).first


def generator(c):
    yield from inner(c)


def inner(c):
    yield c


def unused(c):
    yield c


def raising(c):
    raise ValueError(c)


def caught(c):
    try:
        raising(c)
    except ValueError:
        pass


def local(c):
    def nested():
        return c

    return nested()


def default(c, f=lambda: 0):
    return f()


def never():
    return lambda: (lambda: 0)


SHAPES = {
    "w": wrapped,
    "s": Outer.Inner.static,
    "g": generator,
    "u": lambda c: unused(c) and None,
    "c": caught,
    "l": local,
    "d": default,
}
