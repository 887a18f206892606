"""Stands in for atheris, so that fuzz targets written for it run unmodified.

Setup keeps the function of the target, and Fuzz hands it to inroad. Instrumentation
is a matter of inroad, so that the functions for it do nothing. FuzzedDataProvider
takes the same values from the same bytes as that of atheris.
"""

import contextlib
import struct
import sys

ALL_REMAINING = sys.maxsize

target = None  # the function that Setup was given
start = None  # called by Fuzz; set by inroad


def Setup(args, test_one_input, **_):
    global target
    target = test_one_input
    return list(args)


def Fuzz():
    start()


@contextlib.contextmanager
def instrument_imports(include=None, exclude=None, enable_loader_override=True):
    yield


def instrument_func(function):
    return function


def instrument_all():
    pass


def patch_code(code, *_, **__):
    return code


def path():
    return ""


def gen_match(pattern):
    return ""


def Mutate(data, max_size):
    return bytes(data)[:max_size]


class _Hooks:
    def add(self, name):
        pass


enabled_hooks = _Hooks()

_SPECIAL = (
    0.0, -0.0, float("inf"), float("-inf"), float("nan"), 5e-324, -5e-324,
    sys.float_info.min, -sys.float_info.min, sys.float_info.max, -sys.float_info.max,
)


class FuzzedDataProvider:
    def __init__(self, data):
        self._data, self._at, self._end = bytes(data), 0, len(data)

    def _take(self, count):
        count = min(max(count, 0), self._end - self._at)
        self._at += count
        return self._data[self._at - count:self._at]

    def remaining_bytes(self):
        return self._end - self._at

    def buffer(self):
        return self._data[self._at:self._end]

    def ConsumeBytes(self, count):
        return self._take(count)

    def ConsumeUnicode(self, count):
        return self._text(count, surrogates=True)

    def ConsumeUnicodeNoSurrogates(self, count):
        return self._text(count, surrogates=False)

    ConsumeString = ConsumeUnicode

    def _text(self, count, surrogates):
        """The lowest bits of the first byte choose ASCII, two or four bytes per character."""
        if count == 0:
            return ""
        kind = self._take(1)
        if not kind or not self.remaining_bytes():
            return ""
        if kind[0] & 1:
            return "".join(chr(b & 0x7F) for b in self._take(count))
        width = 2 if kind[0] & 2 else 4
        data = self._take(min(count, len(self._data)) * width)
        out = []
        for (point,) in struct.iter_unpack("<H" if width == 2 else "<I", data[:len(data) - len(data) % width]):
            point &= 0x1FFFFF
            if point & 0x100000:
                point &= ~0x0F0000
            if not surrogates and 0xD800 <= point < 0xE000:
                point -= 0xD800
            out.append(chr(point))
        return "".join(out)

    def ConsumeInt(self, count):
        return int.from_bytes(self._take(count), "little", signed=True)

    def ConsumeUInt(self, count):
        return int.from_bytes(self._take(count), "little")

    def ConsumeIntInRange(self, low, high):
        if low > high:
            raise RuntimeError("ConsumeIntInRange: min must be <= max")
        bits = (high - low).bit_length()
        if bits > 64:
            return low + self.ConsumeInt(bits // 8) % (high - low + 1)
        return low + self._small(bits, high - low)

    def _small(self, bits, span):
        """Small integers are taken from the end of the input."""
        result = offset = 0
        while offset < bits and span >> offset and self.remaining_bytes():
            self._end -= 1
            result = result << 8 | self._data[self._end]
            offset += 8
        return result % (span + 1)

    def ConsumeIntList(self, count, size):
        return [self.ConsumeInt(size) for _ in range(count)]

    def ConsumeIntListInRange(self, count, low, high):
        return [self.ConsumeIntInRange(low, high) for _ in range(count)]

    def ConsumeProbability(self):
        return int.from_bytes(self._take(8), "little") / float(2**64 - 1)

    def ConsumeProbabilityList(self, count):
        return [self.ConsumeProbability() for _ in range(count)]

    def ConsumeFloat(self):
        kind = self._take(1)
        if not kind:
            return 0.0
        if kind[0] < len(_SPECIAL):
            self._take(9)
            return _SPECIAL[kind[0]]
        return self.ConsumeRegularFloat()

    def ConsumeFloatList(self, count):
        return [self.ConsumeFloat() for _ in range(count)]

    def ConsumeRegularFloat(self):
        return self.ConsumeFloatInRange(-sys.float_info.max, sys.float_info.max)

    def ConsumeRegularFloatList(self, count):
        return [self.ConsumeRegularFloat() for _ in range(count)]

    def ConsumeFloatInRange(self, low, high):
        if low > high:
            raise RuntimeError("ConsumeFloatInRange: min must be <= max")
        start = low
        if low < 0 < high and low + sys.float_info.max < high:  # the difference may be too large
            span = high / 2 - low / 2
            if self.ConsumeBool():
                start += span
        else:
            span = high - low
        return start + span * self.ConsumeProbability()

    def ConsumeFloatListInRange(self, count, low, high):
        return [self.ConsumeFloatInRange(low, high) for _ in range(count)]

    def ConsumeBool(self):
        return bool(self._take(1) and self._data[self._at - 1] & 1)

    def PickValueInList(self, values):
        bits = next(bits for bits in (8, 16, 32, 64) if len(values) < 1 << bits)
        return values[self._small(bits, len(values) - 1)]
