"""Which of the project's own files include which, read from their #include lines.

An #include whose path fits several files counts for all of them.
"""

import re

from sources import ROOT, code_files

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


def read_includes():
    """The includes of server/ and clients/."""
    files = code_files(".h", ".def", ".cc", ".c", under=("server", "clients"))
    return Includes({path: (ROOT / path).read_text() for path in files})


class Includes:
    def __init__(self, texts):
        """`texts` maps each path to what the file says."""
        self.files = sorted(texts)
        self._by_ending = {}
        for path in self.files:
            for start in range(len(path.parts)):
                ending = "/".join(path.parts[start:])
                self._by_ending.setdefault(ending, []).append(path)
        self._used = {path: self._direct(path, texts[path]) for path in self.files}
        self._users = {path: set() for path in self.files}
        for path, used in self._used.items():
            for other in used:
                self._users[other].add(path)

    def _direct(self, path, text):
        found = set()
        for bracket, name in INCLUDE.findall(text):
            beside = path.parent / name
            if bracket == '"' and beside in self._by_ending.get(str(beside), ()):
                found.add(beside)
            elif bracket == '"' or "/" in name:
                found.update(self._by_ending.get(name, ()))
        return found

    @staticmethod
    def _reach(start, edges):
        """Files that can be reached from `start`, the nearest first, without `start`."""
        reached = {start: None}
        level = [start]
        while level:
            level = sorted({other for path in level for other in edges[path]} - reached.keys())
            reached.update(dict.fromkeys(level))
        return list(reached)[1:]

    def used_by(self, path):
        """All own files that `path` includes, directly or not."""
        return self._reach(path, self._used)

    def users_of(self, path):
        """All own files that include `path`; direct users come first."""
        return self._reach(path, self._users)
