#!/usr/bin/env python
"""Docstring."""
import os, a.b as c
from .m import (x as y, z)

TABLE = {"a": 1, "b": [2, 3]}
p, (q, r) = 4, (5, 6)
limit: int = 7


@decorator(8)
def f(a, b=9, *args, **kwargs):
    """Docstring
    of f."""
    def inner(n): return n + 10
    if a > 11:
        return [inner(i) for i in range(12)]
    elif b:
        pass; x = lambda v: v * 13
    return f"{a!r:>{b}} {'text'} {14}" + r'\d' + """
triple 15"""


async def g():
    async with a as b, c as d:
        await b(16)


class C(Base, metaclass=M):
    """Docstring."""
    attribute = 17

    def __init__(self):
        self.a = (18,)

    @property
    def m(self) -> int: return 19

    class D:
        def n(self):
            """Nothing."""


if __name__ == "__main__":
    main = g
    f(20, \
      21)
