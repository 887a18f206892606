"""Functions that take their input in all ways."""

import sys
import typing


def plain(data):
    pass


def text(data: str):
    pass


def data(data: bytes):
    pass


def quoted(data: "bytes", unused=0):
    pass


def either(data: typing.Union[bytes, str]):
    pass


class Taker:
    @staticmethod
    def take(data: bytearray):
        pass


def generate():
    yield 1
    raise ValueError("generated")


async def wait():
    raise ValueError("waited")


def take(data):
    if data == "generate":
        return generate()
    if data == "wait":
        return wait()
    wants_text = sys.modules["__main__"].wants_text
    kinds = ["%s %s" % (f.__name__, "str" if wants_text(f) else "bytes") for f in (plain, text, data_function, quoted, either, Taker.take)]
    raise ValueError("%s, got %s" % (", ".join(kinds), ascii(data)))


data_function = data
