"""The project's own files, for the checks in this folder."""

import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = ("build", ".git", ".cache", "__pycache__")


def git(root, *words, text=None):
    """What Git prints, or None if it fails."""
    # The checkout may belong to another user, as in a container.
    run = subprocess.run(["git", "-c", f"safe.directory={root}", "-C", root, *words], input=text,
                         capture_output=True, text=True)
    return run.stdout.strip() if run.returncode == 0 else None


def own_files(root=ROOT):
    """Paths, relative to the root, of all files that are committed or would be."""
    listed = git(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    if listed is not None:
        names = [pathlib.Path(name) for name in listed.split("\0") if name]
    else:  # An unpacked archive.
        names = [path.relative_to(root) for path in root.rglob("*")]
        names = [p for p in names if not any(part.startswith(SKIPPED) for part in p.parts)]
    return sorted(p for p in set(names) if (root / p).is_file())


def code_files(*suffixes, under=("server", "clients", "tests")):
    """C and C++ files with one of these suffixes in these folders."""
    return [p for p in own_files() if p.suffix in suffixes and p.parts[0] in under]


def report(name, problems, checked):
    """Prints the problems; returns the exit status."""
    for problem in problems:
        print(problem)
    print(f"{name}: {checked} checked, {len(problems)} wrong")
    return 1 if problems else 0
