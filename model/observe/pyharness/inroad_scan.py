"""Lists the functions of Python packages, and the blocks in them.

Usage: inroad_scan.py TARGET DIR ROOT BLOCKS OUT [COVER...]

TARGET and DIR are those of inroad_run.py. Names of files below ROOT are relative to
it, and others to the folder that they are imported from. With BLOCKS 1, blocks are
listed as well. COVER are packages, modules, files or folders; without any, those of
the target are listed. The list is written to OUT, in JSON.
"""

import ast
import importlib.util
import json
import os
import sys
import sysconfig

from inroad_run import split_target, stop


def kinds(*names):
    return tuple(getattr(ast, name) for name in names if hasattr(ast, name))


DEF = (ast.FunctionDef, ast.AsyncFunctionDef)
CLASS_OR_DEF = DEF + (ast.ClassDef,)
LOOP = (ast.For, ast.AsyncFor)
WITH = (ast.With, ast.AsyncWith)
TRY = kinds("Try", "TryStar")
BRANCH = (ast.If, ast.While) + LOOP + kinds("Match")
END_OF_LINE = 1 << 20  # a column


class File:
    """Collects the units of a source file."""

    def __init__(self, blocks):
        self.blocks = blocks
        self.units = []
        self.functions = {}  # by line and name of their code

    def visit(self, node, prefix=""):
        if isinstance(node, CLASS_OR_DEF):
            self.definition(node, prefix)
        elif isinstance(node, ast.Lambda):
            self.visit(node.args, prefix)
            self.function(prefix + "<lambda>", "<lambda>", node.lineno, node)
            self.visit(node.body, prefix + "<lambda>.")
        else:
            for child in ast.iter_child_nodes(node):
                self.visit(child, prefix)

    def definition(self, node, prefix):
        body = set(node.body)
        for child in ast.iter_child_nodes(node):
            if child not in body:  # decorators, bases and defaults are evaluated outside
                self.visit(child, prefix)
        name = prefix + node.name
        if isinstance(node, DEF):
            self.function(name, node.name, first_line(node), node)
        for child in node.body:
            self.visit(child, name + ".")

    def function(self, name, code, first, node):
        if (first, code) in self.functions:  # lambdas on one line are one unit
            return
        key = self.functions[first, code] = len(self.functions)
        kind = "constructor" if code in ("__init__", "__new__") else "method"
        self.units.append({"name": name, "kind": kind, "code": code, "start": first, "end": node.end_lineno})
        if self.blocks and isinstance(node, DEF):
            Blocks(self.units, name, key, node)


class Blocks:
    """Lists the blocks of a function, other than the one at its entry.

    A block is a run of statements up to a branch, and is reached if its first
    statement is. A block on the line of another one cannot be observed.
    """

    def __init__(self, units, name, key, node):
        self.units, self.name, self.key = units, name, key
        self.taken = set(range(first_line(node), node.body[0].lineno))
        self.entered = False
        self.suite(node.body)

    def suite(self, statements):
        run = []
        self.walk(statements, run)
        self.end(run)

    def walk(self, statements, run):
        for s in statements:
            run.append(s)
            if isinstance(s, WITH + TRY):  # the body runs together with what precedes it
                self.walk(s.body, run)
                if s not in run:  # it has a branch, and may have ended with an exception that is ignored
                    self.end(run)
            if isinstance(s, TRY + BRANCH):
                self.end(run)
                for arm in arms(s):
                    self.suite(arm)

    def end(self, run):
        """Adds the block of the statements in run, and empties it."""
        coded = [s for s in run if has_code(s)]
        run.clear()
        if not coded:
            return
        lines = range(first_line(coded[0]), head_end(coded[0])[0] + 1)
        free = self.taken.isdisjoint(lines)
        self.taken.update(lines)
        if not self.entered:
            self.entered = True  # the function is the unit of its first block
        elif free:
            end, column = max(head_end(s) for s in coded)
            self.units.append({
                "name": "%s:%d" % (self.name, lines[0]), "kind": "block", "start": lines[0], "end": end,
                "startColumn": coded[0].col_offset + 1, "endColumn": column + 1, "block": self.key, "last": lines[-1],
            })


def arms(s):
    """Returns the lists of statements that follow the head of a statement, or the body of a try."""
    all = [s.orelse] if hasattr(s, "orelse") else []
    if isinstance(s, TRY):
        return [h.body for h in s.handlers] + all + [s.finalbody]
    if hasattr(s, "cases"):
        return [c.body for c in s.cases]
    return [s.body] + all


def has_code(s):
    """Reports whether a statement is compiled to code. A docstring is not."""
    if isinstance(s, ast.Expr):
        return not isinstance(s.value, ast.Constant)
    return not isinstance(s, (ast.Global, ast.Nonlocal))


def first_line(s):
    return min([s.lineno] + [d.lineno for d in getattr(s, "decorator_list", [])])


def head_end(s):
    """Returns the line and the column of the end of a statement, without the statements in it."""
    if isinstance(s, CLASS_OR_DEF):
        return max((s.lineno, s.col_offset), (s.body[0].lineno - 1, END_OF_LINE))
    if isinstance(s, TRY):
        return s.lineno, s.col_offset
    head = s
    if isinstance(s, (ast.If, ast.While)):
        head = s.test
    elif isinstance(s, LOOP):
        head = s.iter
    elif isinstance(s, WITH):
        head = s.items[-1].optional_vars or s.items[-1].context_expr
    elif isinstance(s, BRANCH):  # match
        head = s.subject
    return head.end_lineno, head.end_col_offset


def find(name, folder):
    """Returns the files and folders of a package, module, file or folder."""
    if name.endswith(".py") or os.sep in name:
        place = os.path.join(folder, name)
        if not os.path.exists(place):
            stop("%s: no such file or folder" % name)
        return [place]
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError) as e:
        stop("%s: %s" % (name, e))
    if spec is None:
        stop("no module %s in %s or the packages of %s" % (name, sys.path[0], sys.executable))
    if spec.submodule_search_locations is not None:
        return list(spec.submodule_search_locations)
    return [spec.origin] if spec.origin and spec.has_location else []


def is_standard(place):
    paths = sysconfig.get_paths()
    return any(os.path.realpath(place).startswith(os.path.realpath(paths[p]) + os.sep) for p in ("stdlib", "platstdlib")) and not is_installed(place)


def is_installed(place):
    return any(part in ("site-packages", "dist-packages") for part in place.split(os.sep))


def imports(node):
    """Yields the top-level packages that are imported below a node."""
    for n in ast.walk(node):
        if isinstance(n, ast.Import):
            for alias in n.names:
                yield alias.name.partition(".")[0]
        elif isinstance(n, ast.ImportFrom) and n.module and not n.level:
            yield n.module.partition(".")[0]


def fuzzed(file, folder):
    """Returns the packages that a fuzz target is for: those that it instruments, or else those that it imports."""
    with open(file, "rb") as f:
        tree = ast.parse(f.read(), file)
    blocks = [n for n in ast.walk(tree) if isinstance(n, WITH) and any("instrument_imports" in ast.dump(i) for i in n.items)]
    names = {name for b in blocks for name in imports(b)} or {
        name for name in imports(tree) if importable(name) and not any(is_standard(p) for p in find(name, folder))
    }
    return [file] + sorted(name for name in names if name != "atheris" and importable(name) and find(name, folder))


def importable(name):
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return False


def default_cover(target, folder):
    place, is_file, function, _ = split_target(target, folder)
    if function:
        return [place if is_file else place.partition(".")[0]]
    if not is_file:
        spec = importlib.util.find_spec(place) if importable(place) else None
        if spec and spec.submodule_search_locations is not None:
            spec = importlib.util.find_spec(place + ".__main__")
        if spec is None or not spec.has_location:
            stop("no module %s in %s or the packages of %s" % (place, sys.path[0], sys.executable))
        place = spec.origin
    if not os.path.exists(place):
        stop("no such file")
    return fuzzed(place, folder)


def sources(place):
    if os.path.isfile(place):
        return [place] if place.endswith(".py") else []
    return sorted(
        os.path.join(folder, file) for folder, _, files in os.walk(place)
        if folder == place or not is_installed(folder[len(place):]) for file in files if file.endswith(".py"))


def relative(file, root):
    """Returns the name of a file: below the root, or else below the folder that it is imported from."""
    def below(folder):
        return file.startswith(folder.rstrip(os.sep) + os.sep)

    if below(root) and not is_installed(file[len(root):]):
        return os.path.relpath(file, root)
    folders = [os.path.realpath(p) for p in sys.path if p]
    folder = max((p for p in folders if below(p)), key=len, default=os.path.dirname(file))
    return os.path.relpath(file, folder)


def version(cover, file, root):
    """Returns the version of a package. It is empty for sources below the root: those have a commit."""
    if is_standard(file):
        return "python" + sys.version.partition(" ")[0]
    if file.startswith(root + os.sep) and not is_installed(file[len(root):]):
        return ""
    try:
        from importlib import metadata

        return metadata.version(cover.partition(".")[0])
    except Exception:
        return ""


def main():
    if sys.version_info < (3, 8):
        stop("%s is Python %d.%d: must be 3.8 or later" % (sys.executable, *sys.version_info[:2]))
    target, folder, root, blocks, out = sys.argv[1:6]
    root = os.path.realpath(root)
    sys.path[0] = split_target(target, folder)[3]
    cover = sys.argv[6:] or default_cover(target, folder)
    files, seen, about = [], set(), None
    for name in cover:
        for place in find(name, folder):
            for file in map(os.path.realpath, sources(place)):
                if file in seen:
                    continue
                seen.add(file)
                about = about or (name, file)
                collected = File(blocks == "1")
                try:
                    with open(file, "rb") as f:
                        collected.visit(ast.parse(f.read(), file))
                except (SyntaxError, ValueError, RecursionError):  # a template, or code for another version
                    continue
                files.append({"path": file, "name": relative(file, root).replace(os.sep, "/"), "units": collected.units})
    with open(out, "w", encoding="utf-8") as f:
        json.dump({
            "interpreter": sys.executable, "cover": cover, "version": version(*about, root) if about else "",
            "files": files,
        }, f)


if __name__ == "__main__":
    main()
