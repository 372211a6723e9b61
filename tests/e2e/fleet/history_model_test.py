#!/usr/bin/env python3
"""The model explains what may happen, and nothing else."""

import unittest

from history_model import Call, Final, explain

JOB = ("a", 1)


def final(batches=None, profiles=(), pins=(), pinned=0):
    batches = batches or {}
    rows = sum(batches.values())
    return Final(batches, list(profiles), list(pins), pinned, {"cells": rows})


def report(key=JOB, begin=1, end=2.0, rows=3, **result):
    return Call("report", key, begin, end, rows, result)


def forget(end=9.0, removed=3):
    return Call("forget", "a", 8, end, result={"removed": removed})


def profile(note, revision, begin, end):
    return Call("profile", note, begin, end, result={"revision": revision})


class Model(unittest.TestCase):
    def check(self, calls, end, *words):
        found = explain(calls, end)
        self.assertEqual(len(found), len(words), found)
        for sentence, word in zip(sorted(found), sorted(words)):
            self.assertIn(word, sentence)

    def test_batches(self):
        self.check([report()], final({JOB: 3}))
        self.check([report(end=None)], final({JOB: 3}))
        self.check([report(end=None)], final())
        self.check([report(end=None), report(duplicate=True)], final({JOB: 3}))
        self.check([report()], final(), "is lost")
        self.check([report(end=None), report()], final(), "is lost")
        self.check([report()], final({JOB: 6}), "6 rows of 3")
        self.check([report(duplicate=True)], final({JOB: 3}), "sent first")
        self.check([], final({JOB: 3}), "nobody sent")

    def test_forgotten(self):
        self.check([report(), forget()], final())
        self.check([report(), forget()], final({JOB: 3}), "is there")
        self.check([report(), forget(removed=2)], final(), "not 3")
        # A report that hangs may come after it.
        self.check([report(end=None), forget(removed=0)], final({JOB: 3}))
        other = ("a", 2)
        both = [report(), report(other), forget(end=None)]
        self.check(both, final())
        self.check(both, final({JOB: 3, other: 3}))
        self.check(both, final({JOB: 3}), "in part")

    def test_profiles(self):
        two = [profile("x", 1, 1, 2.0), profile("y", 2, 3, 4.0)]
        self.check(two, final(profiles=[(1, "x"), (2, "y")]))
        self.check([profile("x", 2, 1, 2.0)], final(profiles=[(1, None), (2, "x")]))
        self.check([profile("x", 0, 1, None)], final())
        self.check([profile("x", 0, 1, None)], final(profiles=[(1, "x"), (2, "x")]), "2 times")
        self.check(two, final(profiles=[(1, "x")]), "is None")
        self.check([profile("x", 2, 1, 2.0)], final(profiles=[(2, "x")]), "the revisions are")
        self.check([], final(profiles=[(1, "x")]), "nobody wrote")
        swapped = [profile("x", 2, 1, 2.0), profile("y", 1, 3, 4.0)]
        self.check(swapped, final(profiles=[(1, "y"), (2, "x")]), "comes after it")
        # The first attempt may have had the effect.
        again = [profile("y", 0, 0.5, None), profile("x", 2, 1, 2.0), profile("y", 1, 3, 4.0)]
        self.check(again, final(profiles=[(1, "y"), (2, "x")]))
        at_once = [profile("x", 2, 1, 5.0), profile("y", 1, 3, 4.0)]
        self.check(at_once, final(profiles=[(1, "y"), (2, "x")]))

    def test_pins(self):
        pins = [Call("pin", 1, 1, 2.0), Call("pin", 2, 3, 4.0)]
        profiles = [(1, None), (2, None)]
        self.check(pins, final(profiles=profiles, pins=[1, 2], pinned=2))
        self.check(pins, final(profiles=profiles, pins=[1, 2], pinned=1), "the last pin was of 2")
        self.check(pins, final(profiles=profiles, pins=[1], pinned=1), "pin of 2 is lost")
        self.check(pins, final(profiles=profiles, pins=[2, 1], pinned=1), "comes after it")
        self.check(pins, final(profiles=profiles, pins=[1, 2, 2], pinned=2), "2 times")
        # Nobody knows when this one came.
        late = [Call("pin", 1, 1), Call("pin", 2, 3, 4.0)]
        self.check(late, final(profiles=profiles, pins=[2, 1], pinned=1))
        self.check(late, final(profiles=profiles, pins=[2], pinned=2))

    def test_counts(self):
        end = final({JOB: 3})
        end.counts["cells"] = 4
        self.check([report()], end, "cells counts 4 rows of 3")


if __name__ == "__main__":
    unittest.main()
