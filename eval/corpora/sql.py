"""How well the bundled grammar sql fits SQL that others wrote, and SQLite what it generates.

    python3 sql.py corpus WORK --inroad inroad     parse the statements of SQLite's test suite
    python3 sql.py accepted DIR                    let SQLite's parser read generated files

The corpus is made of the .test files of SQLite 3.40.1 (Debian's source package): of the braces after
execsql, catchsql, db eval, do_execsql_test and do_catchsql_test. A group is what stands in one pair of
braces. From it are taken the statements that SQLite itself parses and that begin like one of the
statements of the grammar; the others are counted by their first word.

A statement is refused if SQLite ends it with an error that is not about what names mean: see MEANING.
"""

import argparse
import collections
import json
import pathlib
import re
import sqlite3
import subprocess
import sys
import tarfile

KINDS = re.compile(
    r"(?:select|values|with|insert|replace|update|delete|alter|begin|commit|end|rollback|savepoint|release"
    r"|create\s+(?:temp\s+|temporary\s+)?(?:table|view)|create\s+(?:unique\s+)?index|drop)\b",
    re.IGNORECASE,
)

# Errors that SQLite raises of a text it could parse.
MEANING = re.compile(
    "|".join(
        [
            r"^no such ",
            r"^no tables specified",
            r"^ambiguous column name",
            r"^(table|view|index|trigger) .* already exists",
            r"^there is already (a|an) ",
            r"^duplicate ",
            r"^misuse of ",
            r"misused",
            r"^wrong number of arguments",
            r"may not be used as a window function",
            r"may only be used (with|as)",
            r"must be used (with|only)",
            r"^unknown (database|function|column|join)",
            r"have the same number of (terms|result columns)",
            r"do not have the same number of result columns",
            r"sub-select returns \d+ columns",
            r"has \d+ columns but \d+ values",
            r"^\d+ values for \d+ columns",
            r"^\d+ columns assigned \d+ values",
            r"has \d+ values for \d+ columns",
            r"table .* has \d+ columns",
            r"term does not match any column",
            r"term out of range",
            r"should be between 1 and",
            r"^a GROUP BY clause is required before HAVING",
            r"^HAVING clause on a non-aggregate",
            r"^aggregate functions are not allowed",
            r"^(default value of column|cannot use DEFAULT|default value)",
            r"^table .* (has more than one|may not be|has no column)",
            r"^AUTOINCREMENT ",
            r"^PRIMARY KEY missing",
            r"^(foreign key|number of columns in foreign key|unknown column .* in foreign key)",
            r"^(cannot|object name reserved)",
            r"^(must have at least one non-generated column|generated columns? )",
            r"^(non-deterministic|subqueries|parameters|expressions) .*prohibited",
            r"^(parameters|expressions|subqueries) ",
            r"prohibited in ",
            r"^second argument to ",
            r"^(recursive|circular) reference",
            r"^(multiple|recursive) references? ",
            r"^(expected \d+ columns|Expression tree is too large)",
            r"^conflicting ON CONFLICT clauses",
            r"^ON CONFLICT clause does not match",
            r"^(error in|integer overflow)",
            r"^a JOIN clause|^RIGHT and FULL",
            r"^RETURNING ",
            r"^DISTINCT (aggregates|is not supported)",
            r"^FILTER ",
            r"^table-valued",
            r"^'.*' is not a function|is not a function",
            r"^Cannot add",
            r"^unsupported use of NULLS",
            r"^ESCAPE expression must",
            r"^indexed columns are not unique",
            r"^too many ",
            r"^near .*: (frame|RANGE)|^(frame|RANGE) ",
            r"^view .* is circularly",
            r"^target object/alias",
            r"^qualified table names are not allowed",
            r"^database (table )?is locked",
            r"^hex literal too big",
            r"^Incorrect number of bindings",
        ]
    )
)

SYNTAX = re.compile(r"syntax error|incomplete input|unrecognized token")


def statements(text):
    """Split SQL at its semicolons. Triggers are not known: they fall apart."""
    part = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|`(?:[^`]|``)*`|\[[^\]]*\]|--[^\n]*|/\*.*?\*/|;", re.DOTALL)
    begin = 0
    for m in part.finditer(text):
        if m.group() == ";":
            yield text[begin : m.start()]
            begin = m.end()
    yield text[begin:]


def bare(text):
    """A statement without the comments before it."""
    return re.sub(r"\A(?:\s+|--[^\n]*(?:\n|\Z)|/\*.*?(?:\*/|\Z))*", "", text, flags=re.DOTALL)


def error(text):
    """What SQLite says of a statement, once the tables that it needs to be read to its end are there."""
    db = sqlite3.connect(":memory:")
    try:
        for _ in range(12):
            try:
                db.execute("explain " + bare(text))
                return None
            except (sqlite3.Error, sqlite3.Warning) as e:
                message = str(e)
            if m := re.match(r"unknown database (.*)", message, re.DOTALL):
                db.execute("attach ':memory:' as " + quoted(m[1]))
            elif re.match(r"\s*alter\b", bare(text), re.IGNORECASE) and (m := re.match(r"no such table: (?:main\.)?(.*)", message, re.DOTALL)):
                db.execute(f"create table {quoted(m[1])} (x)")
            else:
                return message
        return message
    except (sqlite3.Error, sqlite3.Warning) as e:
        return str(e) if SYNTAX.search(str(e)) else None
    finally:
        db.close()


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def groups(path):
    """The texts in braces that a test file gives to SQLite."""
    text = path.read_text(encoding="utf-8", errors="replace")
    command = re.compile(r"\b(?:execsql|catchsql|db\s+eval|do_(?:exec|catch)sql_test\s+\S+)\s+\{")
    for m in command.finditer(text):
        depth, at = 1, m.end()
        while depth and at < len(text):
            depth += {"{": 1, "}": -1}.get(text[at], 0)
            at += 1
        yield text[m.end() : at - 1]


def tests(work):
    """The test files of SQLite's source, fetched unless they are there."""
    folder = work / "tests"
    if not folder.exists():
        work.mkdir(parents=True, exist_ok=True)
        archive = work / "sqlite.tar.xz"
        if not archive.exists():
            sys.exit(f"put the source of SQLite 3.40.1 there: {archive}; on Debian, apt-get source --download-only sqlite3 fetches it")
        with tarfile.open(archive) as tar:
            for member in tar:
                if member.name.endswith(".test"):
                    member.name = pathlib.Path(member.name).name
                    tar.extract(member, folder, filter="data")
    return sorted(folder.glob("*.test"))


def extract(work):
    """Write a file for each group, and tell what was left out."""
    out = work / "groups"
    out.mkdir(exist_ok=True)
    left, files = collections.Counter(), []
    for test in tests(work):
        for i, group in enumerate(groups(test)):
            taken = []
            for s in filter(str.strip, map(bare, statements(group))):
                if SYNTAX.search(error(s) or ""):
                    left["no SQL to SQLite"] += 1
                elif not KINDS.match(s):
                    left[re.match(r"\w*", s)[0].lower()] += 1
                else:
                    taken.append(s)
            if taken:
                files.append(out / f"{test.stem}-{i:04}.sql")
                files[-1].write_text(";\n".join(taken) + ";\n", encoding="utf-8")
    print("statements left out:", ", ".join(f"{w} {n}" for w, n in left.most_common(12)))
    return files


def corpus(work, inroad):
    files = extract(work)
    errors = []
    for i in range(0, len(files), 500):
        command = [inroad, "parse", "--grammar", "sql", "--format", "json", *map(str, files[i : i + 500])]
        answers = subprocess.run(command, capture_output=True, check=False).stdout.splitlines()
        errors += [a["error"]["message"] for a in map(json.loads, answers) if "error" in a]
    (work / "errors.txt").write_text("\n".join(errors) + "\n", encoding="utf-8")
    report("parsed", len(files), errors, lambda e: re.sub(r", expected .*", "", e.split(": ", 1)[1]))


def report(done, total, errors, reason):
    good = total - len(errors)
    print(f"{done}: {good} of {total} ({100 * good / total:.2f} %)")
    for text, n in collections.Counter(map(reason, errors)).most_common(25):
        print(f"{n:6} {text}")


def accepted(folder):
    files = sorted(folder.iterdir())
    refused, meant, early = [], collections.Counter(), collections.Counter()
    for f in files:
        for s in statements(f.read_bytes().decode()):
            message = bare(s).strip() and error(s)
            if not message:
                continue
            if not (m := MEANING.search(message)):
                refused.append(f"{message}: {f.name}: {s!r:.300}")
                break
            meant[m[0]] += 1
            if not message.startswith("no such") and not SYNTAX.search(error(s + " )") or ""):
                early[m[0]] += 1
    print(*refused, sep="\n", file=sys.stderr)
    report("accepted", len(files), refused, lambda e: e.split(": ")[0])
    print("errors about meaning:", ", ".join(f"{r} {n}" for r, n in meant.most_common()))
    print("perhaps before the end of the statement was read:", ", ".join(f"{r} {n}" for r, n in early.most_common()))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("task", choices=["corpus", "accepted"])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--inroad", default="inroad")
    args = parser.parse_args()
    if args.task == "corpus":
        corpus(args.folder, args.inroad)
    else:
        accepted(args.folder)


if __name__ == "__main__":
    main()
