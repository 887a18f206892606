"""Calls a Python function on one input after the other and reports what it reaches.

Usage: inroad_run.py TARGET DIR TABLE REACHED TIMEOUT MEMORY

TARGET is MODULE:FUNC, FILE.py:FUNC, MODULE or FILE.py, DIR the folder that the user
runs inroad in, TABLE the file that inroad_scan.py wrote, REACHED a file with one byte
per unit, TIMEOUT the time limit per input in seconds, and MEMORY the limit in bytes.

Inputs arrive on file descriptor 3 and frames leave on 4, so that the function may
use standard input and output. An input is a four-byte little-endian length followed
by the bytes. A frame is a letter, a length of the same form, and the contents: M
once at the start, C with the indices of the reached units (four bytes each; the last
before R is valid), and R with the result in JSON, which completes the input.

REACHED is mapped into memory. The observer reads it if the process dies.
"""

import _thread
import array
import faulthandler
import fcntl
import gc
import hashlib
import importlib
import inspect
import json
import mmap
import os
import re
import resource
import runpy
import struct
import sys
import threading
import time
import traceback
import types

import atheris

MAX_MESSAGE = 1000
DIGEST_FRAMES = 8
POLL_INTERVAL = 0.025  # seconds between checks of a running function
GENERATOR = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
MAX_THREADS = 30  # in addition to those at the start; beyond that, the process exits
HIGH = 200  # first file descriptor for the pipes, out of the way of programs that close the low ones

_exit, _getpid, _write, _read, _fstat = os._exit, os.getpid, os.write, os.read, os.fstat
_now, _sleep = time.perf_counter_ns, time.sleep


def stop(message):
    """Ends the process because of a problem of the target, not of an input."""
    text = "inroad harness: %s\n" % message.replace("\n", " ")
    try:
        _write(2, text.encode("utf-8", "replace"))
    finally:
        _exit(3)


class Units:
    """The units, and those that the current input has reached."""

    def __init__(self, table, reached):
        with open(table, encoding="utf-8") as f:
            files = json.load(f)["files"]
        self.by_file = {}  # units of the code objects in a file, by line and name
        self.by_name = {}  # the same by the file name in the code object, which may be another
        self.known = {}  # unit of a code object, by the code object's ID
        self.lines = {}  # blocks by line of a code object, by the code object's ID
        self.alive = []  # keeps the IDs of code objects unique
        self.hits = []
        index = 0
        self.blocks = False
        for f in files:
            units = self.by_file[f["path"]] = {}
            blocks = {}
            for u in f["units"]:
                if "block" in u:
                    self.blocks = True
                    of = blocks.setdefault(u["block"], {})
                    for line in range(u["start"], u["last"] + 1):
                        of[line] = index
                else:
                    units[u["start"], u["code"]] = index, blocks.setdefault(len(units), {})
                index += 1
        with open(reached, "r+b") as f:
            self.map = mmap.mmap(f.fileno(), max(index, 1))
        self.zero = bytes(len(self.map))

    def clear(self):
        self.map[:] = self.zero
        self.hits.clear()

    def find(self, code):
        """Returns the unit of a code object that is not known yet, or -1."""
        name = code.co_filename
        try:
            units = self.by_name[name]
        except KeyError:
            units = self.by_file.get(os.path.realpath(name)) if name[:1] != "<" else None
            self.by_name[name] = units
        found = units.get((code.co_firstlineno, code.co_name)) if units else None
        if found is None:
            return -1
        self.alive.append(code)
        if found[1]:
            self.lines[id(code)] = found[1]
        self.known[id(code)] = found[0]
        return found[0]

    def monitor(self):
        """Observes with sys.monitoring. Returns the function that starts an input."""
        mon = sys.monitoring
        tool = next((i for i in (mon.COVERAGE_ID, 3, 4, mon.PROFILER_ID, mon.DEBUGGER_ID) if mon.get_tool(i) is None), None)
        if tool is None:
            stop("all tools of sys.monitoring are in use")
        mon.use_tool_id(tool, "inroad")
        get, find, reached, hit, disable = self.known.get, self.find, self.map, self.hits.append, mon.DISABLE

        def entered(code, _):
            unit = get(id(code))
            if unit is None:
                unit = find(code)
            if unit >= 0 and not reached[unit]:
                reached[unit] = 1
                hit(unit)
            return disable

        events = mon.events
        mon.register_callback(tool, events.PY_START, entered)
        mon.register_callback(tool, events.PY_RESUME, entered)
        on = events.PY_START | events.PY_RESUME
        if self.blocks:
            lines = self.lines

            def line(code, number):
                blocks = lines.get(id(code))
                unit = blocks.get(number) if blocks else None
                if unit is not None and not reached[unit]:
                    reached[unit] = 1
                    hit(unit)
                return disable

            mon.register_callback(tool, events.LINE, line)
            on |= events.LINE
        mon.set_events(tool, on)
        restart, clear = mon.restart_events, self.clear

        def begin():
            clear()
            restart()

        os.register_at_fork(after_in_child=lambda: mon.set_events(tool, 0))
        return begin, lambda: None

    def trace(self):
        """Observes with sys.settrace. Returns the functions that start and end an input."""
        get, find, reached, hit, lines, known = self.known.get, self.find, self.map, self.hits.append, self.lines, self.known

        def entered(frame, event, _):
            code = frame.f_code
            unit = get(id(code))
            if unit is None:
                unit = find(code)
            if unit < 0:
                return None
            if code.co_flags & GENERATOR:  # also called to be closed before its first line
                return line
            if not reached[unit]:
                reached[unit] = 1
                hit(unit)
            return line if id(code) in lines else None

        def line(frame, event, _):
            if event == "line":
                key = id(frame.f_code)
                blocks = lines.get(key)
                for unit in known[key], blocks.get(frame.f_lineno) if blocks else None:
                    if unit is not None and not reached[unit]:
                        reached[unit] = 1
                        hit(unit)
                frame.f_trace_lines = blocks is not None
            return line

        threading.settrace(entered)
        settrace, clear = sys.settrace, self.clear

        def begin():
            clear()
            settrace(entered)

        os.register_at_fork(after_in_child=lambda: settrace(None))
        return begin, lambda: settrace(None)


class Server:
    def __init__(self, timeout, memory):
        self.timeout = int(timeout * 1e9)
        self.memory = memory
        self.pid = _getpid()
        self.pipes = [self.take(3), self.take(4)]
        self.started = 0  # time at which the running input started; 0 if none is running
        self.statm = None
        self.lock = _thread.allocate_lock()

    @staticmethod
    def take(fd):
        """Moves a pipe to a high file descriptor, which children do not inherit."""
        high = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, HIGH)
        os.close(fd)
        status = _fstat(high)
        return high, (status.st_dev, status.st_ino)

    def open(self):
        """Reports whether the program left both pipes open."""
        try:
            for fd, same in self.pipes:
                status = _fstat(fd)
                if (status.st_dev, status.st_ino) != same:
                    return False
            return True
        except OSError:
            return False

    def receive(self):
        data = _read(self.pipes[0][0], 1 << 16)
        if not data:
            _exit(0)
        size = struct.unpack_from("<I", data)[0] + 4
        if len(data) < size:
            parts, missing = [data], size - len(data)
            while missing > 0:
                data = _read(self.pipes[0][0], min(missing, 1 << 20))
                if not data:
                    _exit(0)
                parts.append(data)
                missing -= len(data)
            data = b"".join(parts)
        return data[4:]

    def send(self, *frames):
        message = b"".join(b"%c%b%b" % (kind, struct.pack("<I", len(data)), data) for kind, data in frames)
        while message:
            message = message[_write(self.pipes[1][0], message):]

    def indices(self):
        return array.array("I", self.units.hits).tobytes()

    def watch(self):
        """Ends the process if an input takes too long."""
        while True:
            _sleep(POLL_INTERVAL)
            if self.started and _now() - self.started > self.timeout and self.lock.acquire(False):
                if self.started:
                    took = _now() - self.started
                    if self.open():
                        self.send((b"C"[0], self.indices()), (b"R"[0], b'{"outcome":"timeout","ns":%d,"last":true}' % took))
                    _exit(0)
                self.lock.release()

    def size(self):
        """Returns the size of the process, or 0 if the system does not tell."""
        try:
            if self.statm is None:
                self.statm = fcntl.fcntl(os.open("/proc/self/statm", os.O_RDONLY), fcntl.F_DUPFD_CLOEXEC, HIGH)
            return int(os.pread(self.statm, 64, 0).split(b" ", 1)[0]) * mmap.PAGESIZE
        except OSError:
            return 0

    def limit_memory(self):
        size = self.size()
        self.large = size + self.memory // 2
        if size:
            hard = resource.getrlimit(resource.RLIMIT_AS)[1]
            soft = size + self.memory
            resource.setrlimit(resource.RLIMIT_AS, (soft if hard == resource.RLIM_INFINITY else min(soft, hard), hard))

    def leaks(self):
        """Reports whether the process keeps much memory or many threads."""
        if self.size() > self.large:
            gc.collect()
            return self.size() > self.large
        return threading.active_count() > self.threads + MAX_THREADS

    def serve(self, call, units):
        """Runs inputs until the end of file, and does not return."""
        self.units = units
        begin, end = units.monitor() if hasattr(sys, "monitoring") else units.trace()
        faulthandler.enable(fcntl.fcntl(2, fcntl.F_DUPFD_CLOEXEC, HIGH), all_threads=False)
        os.register_at_fork(after_in_child=self.forget)
        _thread.start_new_thread(self.watch, ())
        self.limit_memory()
        self.threads = threading.active_count()
        self.send((b"M"[0], b""))
        generator, coroutine = types.GeneratorType, types.CoroutineType
        while True:
            data = self.receive()
            failure = None
            begin()
            self.started = start = _now()
            try:
                result = call(data)
                kind = type(result)
                if kind is generator:
                    for _ in result:
                        pass
                elif kind is coroutine:
                    run_coroutine(result)
            except BaseException as e:
                failure = e
            took = _now() - start
            end()
            self.lock.acquire()  # for good if the watchdog is about to end the process
            self.started = 0
            self.lock.release()
            if _getpid() != self.pid:
                _exit(0)
            if not self.open():
                stop("the program closed file descriptors that it did not open")
            indices = self.indices()
            result, fatal = describe(failure) if failure else (OK, False)
            failure = None
            last = fatal or self.leaks()
            self.send((b"C"[0], indices), (b"R"[0], b'%b,"ns":%d,"last":%b}' % (result, took, b"true" if last else b"false")))
            if last:
                _exit(0)

    def forget(self):
        """Leaves the pipes to the parent after a fork."""
        for fd, _ in self.pipes:
            try:
                os.close(fd)
            except OSError:
                pass


OK = b'{"outcome":"ok"'


def run_coroutine(coroutine):
    import asyncio

    asyncio.run(coroutine)


def describe(failure):
    """Returns the start of the result of a failed run, and whether the process must end."""
    if isinstance(failure, SystemExit):
        code = failure.code
        if code is None or code is False or code == 0:
            return OK, False
    fatal = isinstance(failure, MemoryError)
    kind = type(failure)
    name = kind.__qualname__ if kind.__module__ == "builtins" else "%s.%s" % (kind.__module__, kind.__qualname__)
    try:
        message = str(failure)[:MAX_MESSAGE]
    except BaseException:
        message = "(message not available)"
    result = {
        "outcome": "crash" if fatal else "failure",
        "type": name,
        "message": message.encode("utf-8", "replace").decode("utf-8"),
        "stack": digest(failure.__traceback__),
    }
    return json.dumps(result)[:-1].encode(), fatal


def digest(entry):
    """Returns a digest of the innermost functions on the stack of a traceback."""
    names = []
    while entry:
        code = entry.tb_frame.f_code
        name = "%s:%s" % (os.path.basename(code.co_filename), code.co_name)
        if code.co_filename != __file__ and (not names or names[-1] != name):  # ignore the depth of recursion
            names.append(name)
        entry = entry.tb_next
    text = "".join(name + "\n" for name in reversed(names[-DIGEST_FRAMES:]))
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


def wants_text(function):
    """Reports whether a function takes its input as str: unless its annotation says bytes."""
    if getattr(function, "__name__", "") == "TestOneInput":
        return False
    try:
        first = next(iter(inspect.signature(function).parameters.values()))
    except (TypeError, ValueError, StopIteration):
        return True
    annotation = first.annotation
    text = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", "") + " " + str(annotation)
    return bool(re.search(r"\bstr\b", text)) or not re.search(r"\b(bytes|bytearray|memoryview|Buffer|ByteString)\b", text)


def split_target(target, folder):
    """Returns the module or file, whether it is a file, the function, and the folder to import from."""
    place, _, function = target.partition(":")
    if not place.endswith(".py"):
        return place, False, function, folder
    place = os.path.join(folder, place)
    return place, True, function, os.path.dirname(place)


def find(target, folder):
    """Imports the target. Returns a function that takes the bytes of an input."""
    place, is_file, name, path = split_target(target, folder)
    sys.path[0] = path
    sys.argv = [place]
    if name:
        module = importlib.import_module(os.path.basename(place)[:-3] if is_file else place)
        function = module
        for part in name.split("."):
            try:
                function = getattr(function, part)
            except AttributeError:
                stop("%s has no function %s" % (place, name))
    else:
        function = run_main(place, is_file)
    if not callable(function):
        stop("%s: must be a function" % target)
    if wants_text(function):
        return lambda data: function(data.decode("utf-8", "surrogateescape"))
    return function


class Found(BaseException):
    """Ends the main program of a fuzz target when it starts to fuzz."""


def run_main(place, is_file):
    """Runs a fuzz target for atheris until it starts to fuzz. Returns its function."""
    def fuzz():
        raise Found

    atheris.start = fuzz
    names = {}
    try:
        names = runpy.run_path(place, run_name="__main__") if is_file else runpy.run_module(place, run_name="__main__", alter_sys=True)
    except Found:
        if atheris.target:
            return atheris.target
    function = atheris.target or names.get("TestOneInput")
    if function is None:
        stop("%s has no function TestOneInput and does not call atheris.Fuzz: give MODULE:FUNC" % place)
    return function


def main():
    target, folder, table, reached, timeout, memory = sys.argv[1:]
    server = Server(float(timeout), int(memory))
    units = Units(table, reached)
    try:
        function = find(target, folder)
    except BaseException as e:
        last = traceback.extract_tb(e.__traceback__)[-1]
        stop("%s: %s (%s:%d)" % (type(e).__name__, e, last.filename, last.lineno))
    server.serve(function, units)


if __name__ == "__main__":
    main()
