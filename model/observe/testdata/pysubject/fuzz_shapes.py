"""A fuzz target for atheris."""

import sys

import atheris

with atheris.instrument_imports():
    import shapes


@atheris.instrument_func
def TestOneInput(data):
    provider = atheris.FuzzedDataProvider(data)
    shapes.parse(provider.ConsumeUnicodeNoSurrogates(provider.remaining_bytes()))


def main():
    atheris.Setup(sys.argv, TestOneInput)
    atheris.Fuzz()
    raise AssertionError("Fuzz does not return")


if __name__ == "__main__":
    main()
