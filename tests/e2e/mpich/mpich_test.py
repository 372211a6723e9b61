#!/usr/bin/env python3
"""MPICH obeys the selection files that are written for it: each call under a file sends the messages of the
algorithm that the file names, as seen when a variable forces that algorithm, and those of the library's own choice
everywhere else; with the results that it always has.

    mpich_test.py --launcher mpiexec.hydra --calls PROGRAM --selection PROGRAM [unittest options]
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import jobs

# Below FIRST and from LAST on the file names an algorithm; between them it leaves the choice to the library.
FIRST, LAST = 600, 5000
SIZED = ("bcast", "allreduce", "reduce", "alltoall", "allgather", "allgatherv", "reduce_scatter",
         "reduce_scatter_block")
UNSIZED = ("barrier", "gather", "gatherv", "scatter", "scatterv", "scan", "exscan", "alltoallv", "alltoallw")
REDUCTIONS = ("allreduce", "reduce", "reduce_scatter", "reduce_scatter_block", "scan", "exscan")
# In barrier and scan there is a bcast on the node. What is not usable for them is in the round of bcast's own choice,
# so that then nothing changes at all.
ROUNDS = 5
ALGORITHMS = {
    "bcast": ["binomial", "scatter_recursive_doubling_allgather", "scatter_ring_allgather", "nb", "smp"],
    "allreduce": ["smp", "recursive_doubling", "reduce_scatter_allgather", "nb"],
    "reduce": ["binomial", "reduce_scatter_gather", "nb", "smp"],
    "alltoall": ["brucks", "pairwise", "scattered", "nb", "pairwise_sendrecv_replace"],
    "allgather": ["brucks", "recursive_doubling", "ring", "nb"],
    "allgatherv": ["ring", "brucks", "recursive_doubling", "nb"],
    "reduce_scatter": ["pairwise", "recursive_halving", "recursive_doubling", "noncommutative", "nb"],
    "reduce_scatter_block": ["recursive_halving", "pairwise", "noncommutative", "recursive_doubling", "nb"],
    "barrier": ["smp", "dissemination", "dissemination", "nb", "dissemination"],
    "scan": ["smp", "recursive_doubling", "recursive_doubling", "nb", "recursive_doubling"],
    "exscan": ["recursive_doubling", "nb"],
    "gather": ["binomial", "nb"],
    "scatter": ["nb", "binomial"],
    "gatherv": ["linear", "nb"],
    "scatterv": ["nb", "linear"],
    "alltoallv": ["scattered", "nb", "pairwise_sendrecv_replace"],
    "alltoallw": ["nb", "scattered", "pairwise_sendrecv_replace"],
}
# On one node the library hands these to a communicator of the node, where nothing is left to divide: a file that
# names them changes nothing.
NEVER_RUN = {("bcast", "smp"), ("reduce", "smp"), ("barrier", "smp"), ("scan", "smp")}
arguments = None


def all_calls():
    calls = [(c, size, "byte") for c in SIZED
             for size in (2, FIRST - 1, FIRST, FIRST + 1, LAST - 1, LAST, LAST + 1)]
    calls += [(c, 100, "byte") for c in UNSIZED]
    calls += [(c, size, kind) for c in REDUCTIONS for size, kind in ((400, "double"), (100, "order"))]
    return calls + [(c, 100, "inplace") for c in ("alltoall", "alltoallv", "alltoallw")]


def of_round(collective, number):
    names = ALGORITHMS[collective]
    return names[number % len(names)]


def runs(name, ranks):
    """Whether it can be forced. The library does not look whether it can run noncommutative, but aborts; smp calls
    the same collective on parts, on which it can not be forced."""
    return name != "smp" and (name != "noncommutative" or ranks & (ranks - 1) == 0)


def in_file(call):
    collective, size, _ = call
    return collective in UNSIZED or size < FIRST or size >= LAST


def rows(number):
    lines = []
    for collective in ALGORITHMS:
        name = of_round(collective, number)
        lines.append(f"{collective} 0 {name}")
        if collective in SIZED:
            lines += [f"{collective} {FIRST} default", f"{collective} {LAST} {name}"]
    return "\n".join(lines) + "\n"


def selection(*words, text=""):
    done = subprocess.run([arguments.selection, *words], input=text, stdout=subprocess.PIPE, text=True, timeout=120)
    if done.returncode != 0:
        raise RuntimeError(f"selection {words}: {done.returncode}")
    return done.stdout


class Selection(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.job = jobs.Job(arguments.launcher, arguments.calls, self.folder)

    def file(self, text):
        path = self.folder / "selection.json"
        path.write_text(text)
        return {jobs.FILE_VARIABLE: str(path)}

    def expect(self, did, wanted, own, call, where):
        in_order = not any("nb" == name for name in ALGORITHMS[call[0]]) or where[2] != "nb"
        self.assertEqual(jobs.messages(did, in_order), jobs.messages(wanted, in_order), (call, where))
        self.assertTrue(jobs.same_results(own, did), (call, where))

    def check_rounds(self, ranks):
        """Returns which (collective, algorithm) ran as itself."""
        sizes, calls = (ranks - 1, ranks, ranks + 1), all_calls()
        own = self.job.run(sizes, calls)
        unchanged = self.job.run(sizes, calls, self.file(selection("tables", "1", str(ranks))))
        for (size, call), did in unchanged.items():
            self.expect(did, own[size, call], own[size, call], call, (ranks, size, "unchanged"))
        usable = set()
        for number in range(ROUNDS):
            settings = {f"MPIR_CVAR_{collective.upper()}_INTRA_ALGORITHM": of_round(collective, number)
                        for collective in ALGORITHMS if runs(of_round(collective, number), ranks)}
            # The same communicators as below, for they are in the messages; only one is called in.
            forced = self.job.run((-sizes[0], ranks, -sizes[2]), calls, settings)
            if of_round("allreduce", number) == "smp":
                forced.update(self.forced_hierarchy(sizes, calls, settings))
            told = self.job.run(sizes, calls, self.file(selection("tables", "1", str(ranks), text=rows(number))))
            for (size, call), did in told.items():
                name = of_round(call[0], number)
                wanted = own[size, call]
                can_run = runs(name, ranks) or call[0] == "allreduce"
                if size == ranks and in_file(call) and can_run and jobs.messages(forced[size, call]) is not None:
                    usable.add((call[0], name))
                    # The library decides calls in place: it does not know the size that they send.
                    wanted = wanted if call[2] == "inplace" else forced[size, call]
                self.expect(did, wanted, own[size, call], call, (ranks, size, name))
        return usable

    def forced_hierarchy(self, sizes, calls, settings):
        """allreduce's smp: its parts need a fallback, because they are not hierarchies themselves."""
        did = self.job.run((-sizes[0], sizes[1], -sizes[2]), calls, {
            **settings, "MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM": "smp", "COX_CALLS_FALLBACKS": "allowed"})
        return {key: what for key, what in did.items() if key[1][0] == "allreduce"}

    def test_every_algorithm_runs_where_the_file_names_it_and_nowhere_else(self):
        usable = set()
        for ranks in (4, 5):
            usable |= self.check_rounds(ranks)
        everything = {(c, name) for c, names in ALGORITHMS.items() for name in names}
        self.assertEqual(everything - usable, NEVER_RUN)
        self.assertNotIn(("allgather", "recursive_doubling"), self.usable_of_five())

    def usable_of_five(self):
        """The test sees refusals: five is not a power of two."""
        call = ("allgather", 100, "byte")
        forced = self.job.run((5,), [call], {"MPIR_CVAR_ALLGATHER_INTRA_ALGORITHM": "recursive_doubling"})
        return set() if jobs.messages(forced[5, call]) is None else {("allgather", "recursive_doubling")}

    def test_algorithms_differ_in_their_messages(self):
        """Else the comparison above would prove nothing."""
        call = {c: (c, 16, "byte") for c in ALGORITHMS}
        for collective, least in (("bcast", 3), ("allreduce", 2), ("reduce", 2), ("alltoall", 3), ("allgather", 3),
                                  ("allgatherv", 3), ("reduce_scatter", 4), ("reduce_scatter_block", 4)):
            patterns = set()
            for name in ALGORITHMS[collective]:
                if name == "nb":
                    continue
                did = self.job.run((4,), [call[collective]],
                                   {f"MPIR_CVAR_{collective.upper()}_INTRA_ALGORITHM": name})
                patterns.add(str(jobs.messages(did[4, call[collective]])))
            self.assertGreaterEqual(len(patterns - {"None"}), least, collective)

    def test_the_built_in_tree_is_that_of_the_library(self):
        linked = subprocess.run(["ldd", arguments.calls], stdout=subprocess.PIPE, text=True, check=True).stdout
        library = pathlib.Path(re.search(r"libmpich\S* => (\S+)", linked).group(1)).read_bytes()
        texts = [text for text in re.findall(rb'\{"collective=[^\0]{2000,}\}', library) if b"algorithm=MPIR_" in text]
        self.assertEqual(len(texts), 1)
        ordered = {"object_pairs_hook": list}
        self.assertEqual(json.loads(selection("built-in"), **ordered), json.loads(texts[0], **ordered))

    def test_what_the_checker_finds_breaks_jobs(self):
        sound = selection("tables", "1", "2")
        calls = [("alltoall", 16, "byte"), ("allgather", 16, "byte"), ("bcast", 16, "byte")]
        line = next(text for text in sound.splitlines() if '"collective=gatherv"' in text)
        broken = {
            "empty": "",
            "not finished": sound.rstrip()[:-1],
            "hash": "# a comment\n" + sound,
            "key": sound.replace("is_sendbuf_inplace=yes", "is_inplace=yes", 1),
            "name": sound.replace("MPIR_Alltoall_intra_brucks", "MPIR_Alltoall_intra_bruck"),
            "other collective": re.sub(r"MPIR_Bcast_intra_binomial", "MPIR_Reduce_intra_binomial", sound),
            "missing": re.sub(r'"collective=alltoall":', '"collective=gatherv":', sound.replace(line + "\n", "")),
            "undefined": sound.replace("total_msg_size<=81919", "avg_msg_size<=81919").replace(
                "total_msg_size<=524287", "avg_msg_size<=524287").replace("total_msg_size<", "avg_msg_size<"),
            "no end": sound.replace('"avg_msg_size=any"', '"avg_msg_size<=9999999"', 1),
        }
        for what, text in broken.items():
            settings = self.file(text)
            self.assertNotEqual(selection("check", str(self.folder / "selection.json")), "", what)
            done = self.job.start(2, (2,), calls, settings)
            self.assertNotEqual(done.returncode, 0, f"{what}: {done.stdout[-500:]}")
        settings = self.file(sound)
        self.assertEqual(selection("check", str(self.folder / "selection.json")), "")
        self.assertEqual(self.job.start(2, (2,), calls, settings).returncode, 0)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for option in ("--launcher", "--calls", "--selection"):
        parser.add_argument(option, required=True)
    arguments, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)
