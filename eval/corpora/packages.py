"""What the measurements of several languages share: files of packages that others published, and tables of reasons.

A package is named by its registry, its name and its exact version: "npm:bootstrap@5.3.3", "maven:junit:junit:4.13.2:pom".
Archives are kept in the folder that is given, outside of the repository, and fetched only if they are not there: those of
npm from where npm is set to look, those of Maven from the repository whose address MAVEN_REPOSITORY has.
"""

import collections
import io
import json
import os
import pathlib
import subprocess
import sys
import tarfile
import urllib.request
import zipfile


def registry_of(kind):
    """The address of a registry."""
    if kind == "npm":
        return subprocess.run(["npm", "config", "get", "registry"], capture_output=True, check=True, text=True).stdout.strip().rstrip("/")
    if "MAVEN_REPOSITORY" not in os.environ:
        sys.exit("set MAVEN_REPOSITORY to the address of a Maven repository")
    return os.environ["MAVEN_REPOSITORY"].rstrip("/")


def address(package):
    """Where a package is published, and what its file is called."""
    registry, name = package.split(":", 1)
    if registry == "npm":
        name, version = name.rsplit("@", 1)
        file = f"{name.split('/')[-1]}-{version}.tgz"
        return f"{registry_of(registry)}/{name}/-/{file}", file
    group, artifact, version, kind = name.split(":")
    file = f"{artifact}-{version}{'' if kind.startswith('-') else '.'}{kind}"
    return f"{registry_of(registry)}/{group.replace('.', '/')}/{artifact}/{version}/{file}", file


def archive(package, work):
    """The bytes of a package."""
    url, file = address(package)
    path = work / "archives" / file
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        with urllib.request.urlopen(url, timeout=120) as answer:
            path.write_bytes(answer.read())
    return path.name, path.read_bytes()


def members(name, data):
    """The names and contents of the files in an archive, or of the one file that it is."""
    if name.endswith(".tgz"):
        with tarfile.open(fileobj=io.BytesIO(data)) as tar:
            for m in tar:
                if m.isfile():
                    yield m.name, tar.extractfile(m).read()
    elif name.endswith((".jar", ".zip")):
        with zipfile.ZipFile(io.BytesIO(data)) as z:
            for m in z.infolist():
                if not m.is_dir():
                    yield m.filename, z.read(m)
    else:
        yield name, data


def extract(packages, endings, work, most):
    """Write the files of packages with some endings into a folder, of each package so many at most, evenly chosen."""
    folder = work / "files"
    total = 0
    for package in packages:
        name, data = archive(package, work)
        found = sorted((n, d) for n, d in members(name, data) if n.lower().endswith(endings))
        step = max(1, -(-len(found) // most))
        for n, d in found[::step]:
            path = folder / name / pathlib.PurePosixPath(n).as_posix().replace("/", "__")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(d)
            total += 1
    print(f"{total} files of {len(packages)} packages")
    return folder


def check(inroad, grammar, folder):
    """Tell how well a grammar fits the files of a folder."""
    command = [inroad, "check", grammar, "--corpus", str(folder), "--format", "json"]
    fit = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)["corpus"]
    share("parsed", fit["parsed"], fit["inputs"])
    for r in fit["rejections"][:25]:
        print(f"{r['inputs']:6} {r['reason']}, expected {' | '.join(r['expected'][:5])}; {r['examples'][0]}")
    for c in fit["coverage"]:
        share(f"k={c['k']}", c["covered"], c["possible"])
    for a in fit["ambiguities"]:
        print("ambiguous:", a["rule"], a["times"], a["example"])


def generated(inroad, grammar, work, n):
    """Yield two kinds of generated inputs, n of each at least: random ones, and covering sets of 2-paths and 3-paths."""
    random = work / "random"
    run(inroad, "generate", "--grammar", grammar, "--n", str(n), "--out", str(random))
    yield "random", sorted(random.iterdir())
    covering, seed = [], 0
    while len(covering) < n:
        seed += 1
        for k in "2", "3":
            out = work / f"covering-{k}-{seed}"
            run(inroad, "generate", "--grammar", grammar, "--strategy", "kpath", "--k", k, "--max-nodes", "100", "--seed", str(seed), "--out", str(out))
            covering += sorted(out.iterdir())
    yield "covering", covering


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr}")
    for line in done.stderr.splitlines():
        print(line)


def share(what, part, whole):
    print(f"{what}: {part} of {whole} ({100 * part / whole:.2f} %)")


def report(what, total, errors):
    """Print how many had no error, and the reasons for the others, each with an example."""
    share(what, total - len(errors), total)
    examples = {}
    for reason, example in errors:
        examples.setdefault(reason, example)
    for reason, n in collections.Counter(r for r, _ in errors).most_common(25):
        print(f"{n:6} {reason}; {examples[reason]}")
