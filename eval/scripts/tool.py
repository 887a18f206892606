"""Runs a Python function on observed inputs without inroad.

Usage: tool.py bare|coverage MODULE:FUNC OBSERVATIONS [COUNT WARMUP]

bare prints the inputs per second of processor time. coverage prints the functions that coverage.py
reports for each of COUNT inputs, after WARMUP others: those with an executed line
in their bodies, as a JSON list of IDs per line.
"""

import ast
import base64
import importlib
import json
import os
import sys
import time


def read(file):
    with open(file, encoding="utf-8") as f:
        header = json.loads(next(f))
        lines = [json.loads(line) for line in f]
    inputs = [o["input"].encode() if "input" in o else base64.b64decode(o["input_base64"]) for o in lines]
    return header["units"], [i.decode("utf-8", "surrogateescape") for i in inputs]


def run(function, text):
    try:
        result = function(text)
        if hasattr(result, "__next__"):
            list(result)
    except Exception:
        pass


def locate(file):
    return next(path for path in (os.path.realpath(os.path.join(p, file)) for p in sys.path) if os.path.exists(path))


def bodies(path):
    """Returns the lines of the bodies of functions, by the first line of the function."""
    found = {}

    def own(node):
        """Yields the lines of statements, without those of functions in them."""
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
                continue
            if isinstance(child, (ast.stmt, ast.excepthandler)):
                yield child.lineno
            yield from own(child)

    with open(path, "rb") as f:
        tree = ast.parse(f.read())
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            first = min([node.lineno] + [d.lineno for d in node.decorator_list])
            lines = {line for s in node.body if not isinstance(s, (ast.FunctionDef, ast.AsyncFunctionDef)) for line in [s.lineno, *own(s)]}
            lines |= {s.lineno for s in node.body if isinstance(s, (ast.FunctionDef, ast.AsyncFunctionDef))}
            found[first, node.name] = lines
    return found


def main():
    mode, target, file = sys.argv[1:4]
    sys.path.insert(0, os.getcwd())
    module, _, name = target.partition(":")
    function = getattr(importlib.import_module(module), name)
    units, inputs = read(file)
    if mode == "bare":
        for text in inputs[:20]:
            run(function, text)
        start = time.process_time()
        for text in inputs:
            run(function, text)
        print(len(inputs) / (time.process_time() - start))
        return
    import coverage

    count, warmup = int(sys.argv[4]), int(sys.argv[5])
    for text in inputs[:warmup]:
        run(function, text)
    paths = {u["file"]: locate(u["file"]) for u in units}
    lines = {path: bodies(path) for path in set(paths.values())}
    known = {}
    for u in units:
        body = lines[paths[u["file"]]].get((u["start"], u["name"].rpartition(".")[2]))
        if body:  # a lambda has none
            known[u["id"]] = paths[u["file"]], body
    print(json.dumps(sorted(known)))
    for text in inputs[warmup:warmup + count]:
        cov = coverage.Coverage(data_file=None, include=list(lines), config_file=False)
        cov.start()
        run(function, text)
        cov.stop()
        data = cov.get_data()
        executed = {path: set(data.lines(path) or ()) for path in lines}
        print(json.dumps([i for i, (path, body) in known.items() if executed[path] & body]))


main()
