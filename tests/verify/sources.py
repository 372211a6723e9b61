"""The project's own files, for the checks in this folder."""

import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = ("build", ".git", ".cache", "__pycache__")


def own_files():
    """Paths, relative to the root, of all files that are or would be committed."""
    listed = subprocess.run(
        ["git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        capture_output=True,
    )
    if listed.returncode == 0:
        names = [pathlib.Path(name) for name in listed.stdout.decode().split("\0") if name]
    else:  # An unpacked archive.
        names = [path.relative_to(ROOT) for path in ROOT.rglob("*")]
        names = [p for p in names if not any(part.startswith(SKIPPED) for part in p.parts)]
    return sorted(p for p in set(names) if (ROOT / p).is_file())


def code_files(*suffixes, under=("server", "clients", "tests")):
    """C and C++ files with one of these suffixes in these folders."""
    return [p for p in own_files() if p.suffix in suffixes and p.parts[0] in under]


def report(name, problems, checked):
    """Prints the problems; returns the exit status."""
    for problem in problems:
        print(problem)
    print(f"{name}: {checked} checked, {len(problems)} wrong")
    return 1 if problems else 0
