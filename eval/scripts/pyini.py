"""Reads an INI file with configparser."""

import configparser


def loads(text: str):
    configparser.ConfigParser(strict=False, allow_no_value=True).read_string(text)
