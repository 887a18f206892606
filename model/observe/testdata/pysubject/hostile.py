"""A function that misbehaves in the way that its input asks for."""

import ctypes
import os
import subprocess
import sys
import threading
import time

kept = []


class Sad(Exception):
    def __str__(self):
        raise ValueError


def parse(text: str):
    act(text)


def act(text):
    if text == "fail":
        raise ValueError("refused: \udcff")
    if text == "sad":
        raise Sad
    if text == "hang":
        hang()
    if text == "sleep":
        time.sleep(3600)
    if text == "ignore":  # no exception can end it
        while True:
            try:
                hang()
            except BaseException:
                pass
    if text == "block":  # no thread of the interpreter can run
        block()
    if text == "exit":
        sys.exit(3)
    if text == "done":
        sys.exit()
    if text == "_exit":
        os._exit(4)
    if text == "kill":
        os.kill(os.getpid(), 9)
    if text == "segfault":
        segfault()
    if text == "overflow":
        overflow()
    if text == "hoard":
        hoard()
    if text == "leak":
        kept.append(bytearray(64 << 20))
    if text == "threads":
        for _ in range(10):
            threading.Thread(target=time.sleep, args=(3600,), daemon=True).start()
    if text == "close":
        os.closerange(0, 1024)
    if text == "close low":
        os.closerange(3, 100)
    if text == "fork":
        fork()
    if text == "daemon":
        subprocess.Popen(["sleep", "3600"])
    if text == "print":
        for stream in sys.stdout, sys.stderr:
            for _ in range(64):
                stream.write("x" * (1 << 20))
    if text == "stdin":
        sys.stdin.read()
    if text == "trace":
        sys.settrace(None)
        after()
    if text == "chdir":
        os.mkdir("below")
        os.chdir("below")
        os.rmdir("../below")


def hang():
    while True:
        pass


def block():
    ctypes.PyDLL(None).sleep(3600)


def segfault():
    ctypes.string_at(0)


def overflow():
    overflow()


def hoard():
    while True:
        kept.append(bytearray(16 << 20))


def fork():
    if os.fork() == 0:
        child()
        return
    os.wait()


def child():
    pass


def after():
    pass
