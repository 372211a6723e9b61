#!/usr/bin/env python3
"""Finds the files that changed since a base commit. The slow checks look only at these.

The base is the first of these that exists:
  1. $COX_BASE;
  2. the merge base with origin/HEAD or with the branch's upstream, unless that is HEAD itself;
  3. the last tag before HEAD;
  4. 20 commits before HEAD, or the first commit of a shorter history.
Without a Git history every file counts as changed.

usage: changes.py   prints the base
"""

import os
import sys

from sources import ROOT, git, own_files

MAX_COMMITS = 20


class Changes:
    """`base` names the other side of the comparison in words; `files` are paths relative to the root."""

    def __init__(self, root=ROOT):
        self._root = root
        commit, why = self._find_base()
        self.base = f"{why} ({commit[:10]})" if commit else why
        self.files = self._changed_since(commit)

    def _git(self, *words, text=None):
        return git(self._root, *words, text=text)

    def _commit(self, name):
        return self._git("rev-parse", "--quiet", "--verify", f"{name}^{{commit}}")

    def _find_base(self):
        asked = os.environ.get("COX_BASE")
        if asked:
            commit = self._commit(asked)
            if commit is None:
                sys.exit(f"COX_BASE: '{asked}' is not a commit of this repository")
            return commit, f"COX_BASE={asked}"
        head = self._commit("HEAD")
        if head is None:
            return None, "nothing, because there is no Git history: every file counts as changed"
        for upstream in ("origin/HEAD", "@{upstream}"):
            commit = self._git("merge-base", "HEAD", upstream)
            if commit and commit != head:
                return commit, f"the merge base with {upstream}"
        tag = self._git("describe", "--tags", "--abbrev=0", "HEAD^")
        if tag:
            return self._commit(tag), f"the last tag, {tag}"
        commit = self._commit(f"HEAD~{MAX_COMMITS}")
        if commit:
            return commit, f"HEAD~{MAX_COMMITS}"
        # A history of one commit leaves only uncommitted changes.
        return self._git("rev-list", "--first-parent", "--max-parents=0", "HEAD"), "the first commit"

    def _changed_since(self, base):
        """Files with a content that no file of the base has: a file that only moved did not change."""
        files = own_files(self._root)
        if base is None:
            return files
        tree = self._git("ls-tree", "-r", "-z", base)
        known = {entry.split()[2] for entry in tree.split("\0") if entry}
        contents = self._git("hash-object", "--stdin-paths", text="\n".join(map(str, files)))
        if contents is None:
            sys.exit("changes: git hash-object failed; was a file removed at this moment? Run again.")
        return [path for path, content in zip(files, contents.split()) if content not in known]


if __name__ == "__main__":
    print(Changes().base)
