#!/usr/bin/env python3
"""The texts of every library in every form, from observations to `cox tune` and back through
`cox tune --check`; then the same texts with mistakes that people make.

usage: libraries_test.py COX COXD [unittest arguments]
"""

import json
import re
import shutil
import subprocess
import sys
import unittest

from daemon import Daemon, run

COX = ""
COXD = ""

NODES = 2
PPN = 4
# Library -> collective -> the algorithm that is fastest for short messages, and for long ones.
OPENMPI = {"alltoall": ("linear", "pairwise"), "gather": ("binomial", "binomial"), "barrier": ("bruck", "bruck")}
MPICH = {"alltoall": ("brucks", "pairwise"), "barrier": ("dissemination", "dissemination")}
FASTEST = {
    "openmpi-4.1": {**OPENMPI, "bcast": ("binomial", "scatter_allgather_ring")},
    "openmpi-5.0": {**OPENMPI, "allgather": ("sparbit", "sparbit")},
    "mpich-4.0": MPICH,
    "mvapich-3.0": MPICH,
    "intelmpi-2019": {"alltoall": ("bruck", "pairwise"), "allreduce": ("recursive_doubling", "ring")},
    "cray-mpich-8.1": {"allreduce": ("no_smp", "no_smp")},
    "ucc-1": {"alltoall": ("bruck", "pairwise"), "allreduce": ("ring", "ring")},
    "coxcoll": {"alltoall": ("mesh2d", "pairwise"), "gather": ("binomial", "linear")},
    "nccl-2": {"allgather": ("ring_ll", "pat_simple"), "allreduce": ("tree_ll128", "ring_simple")},
}
# Library and form -> what a text of it says about these observations.
SAYS = {
    ("openmpi-4.1", "rules"): "pairwise",
    ("openmpi-4.1", "env"): "export OMPI_MCA_coll_tuned_barrier_algorithm=4\n",
    ("openmpi-5.0", "rules"): "bytes: sparbit",
    ("openmpi-5.0", "env"): "export OMPI_MCA_coll_han_priority=0\n",
    ("mpich-4.0", "json"): "MPIR_Alltoall_intra_brucks",
    ("mpich-4.0", "env"): "# barrier: the library splits it into calls",
    ("mvapich-3.0", "env"): "# barrier: the library splits it into calls",
    ("intelmpi-2019", "env"): "export I_MPI_ADJUST_ALLTOALL='1:0-",
    ("cray-mpich-8.1", "env"): "export MPICH_ALLREDUCE_NO_SMP=1\n",
    ("ucc-1", "env"): "alltoall:0-",
    ("coxcoll", "profile"): f"decided_ranks {NODES * PPN}\ndecide alltoall 0 ",
    ("nccl-2", "csv"): "allgather,0,",
}
# Library and format -> a typical mistake, and the finding.
BROKEN = {
    ("openmpi-4.1", "rules"): [
        ("1\n3\n1\n2 2\n0 3 0 0\n0256 2 0 0\n", "leading 0"),
        ("1\n3\n1\n2 1\n64 3 0 0\n", "must be 0"),
        ("1\n15\n1\n2 2\n0 1 0 0\n64 2 0 0\n", "scatter"),
        ("1\n2\n1\n2 1\n0 5 0 0\n", "do not commute"),
        ("1\n0\n1\n2 1\n0 7 0 0\n", "does not exist"),
        ("rule-file-version-2\n1\n3\n0\n", "ignores the complete file"),
    ],
    ("openmpi-4.1", "env"): [("export OMPI_MCA_coll_tuned_bcast_algorithm=6\n", "use_dynamic_rules=1")],
    ("openmpi-5.0", "rules"): [("1\n0\n1\n2 1\n0 8 0 0\n", "does not exist")],
    ("openmpi-5.0", "env"): [
        ("export OMPI_MCA_coll_tuned_use_dynamic_rules=1\nexport OMPI_MCA_coll_tuned_bcast_algorithm=6\n",
         "coll_han_priority=0")],
    ("mpich-4.0", "json"): [("{}", "")],
    ("mpich-4.0", "env"): [("export MPIR_CVAR_BCAST_SHORT_MSG_SIZE=1\n", "no longer steers")],
    ("mvapich-3.0", "env"): [("export MVP_BCAST_INTRA_ALGORITHM=ring\n", "makes MPI_Init abort")],
    ("intelmpi-2019", "env"): [("export I_MPI_ADJUST_BCAST='1:0-64;2:64-128'\n", "overlaps")],
    ("cray-mpich-8.1", "env"): [("export MPICH_BCAST_INTRA_ALGORITHM=binomial\n", "no choice")],
    ("ucc-1", "env"): [("export UCC_TL_UCP_TUNE='bcast:0-4k'\n", "has no effect without a score")],
    ("coxcoll", "profile"): [("decided_ranks 8\ndecide alltoall 0 rings\n", "is not an algorithm of alltoall")],
    ("nccl-2", "csv"): [("broadcast,0,4096,tree,simple,-1,1,-1\n", "cannot use tree")],
}


def observations():
    rows = ["machine,library,collective,algorithm,nodes,ppn,ranks,block_bytes,time_s,count,type_bytes"]
    for library, collectives in FASTEST.items():
        for collective, (short, long) in collectives.items():
            for block_bytes in [0] if collective == "barrier" else [1 << i for i in range(21)]:
                fastest = short if block_bytes < 1 << 12 else long
                for name in dict.fromkeys(("default", short, long)):
                    time_s = (2e-5 + 1e-9 * block_bytes) / (3 if name == fastest else 1)
                    rows.append(f"m,{library},{collective},{name},{NODES},{PPN},{NODES * PPN},"
                                f"{block_bytes},{time_s},100,1")
    return "\n".join(rows) + "\n"


class LibrariesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon(COXD, COX)
        cls.daemon.start()
        cls.addClassCleanup(cls.daemon.__exit__)
        imported = cls.daemon("observations", "import", cls.daemon.write("rows.csv", observations()))
        assert imported.code == 0, imported

    def tune(self, library, *words):
        outcome = self.daemon("tune", "-m", "m", "--nodes", str(NODES), "--ppn", str(PPN),
                              "--library", library, *words)
        self.assertEqual(outcome.code, 0, f"{library} {words}: {outcome}")
        return outcome.out

    def check(self, path, library, form, *words):
        # No daemon is there, and none is needed.
        return run([COX, "--server", "unix:/nowhere", "tune", "--check", path, "--library", library,
                    "--format", form, *words])

    def test_what_is_written_is_sound(self):
        for (library, form), says in SAYS.items():
            for promises in ((), ("--assume", "commutative"),
                             ("--assume", "commutative,elements>=ranks")):
                with self.subTest(library=library, form=form, promises=promises):
                    text = self.tune(library, "--format", form, *promises)
                    self.assertIn(says, text)
                    path = self.daemon.write("text", text)
                    outcome = self.check(path, library, form, *promises)
                    self.assertEqual(outcome.code, 0, f"{outcome}\n{text}")
                    self.assertIn(f"nothing wrong found for {library} ({form})", outcome.out)

    def test_every_form_that_there_is_is_tried(self):
        self.assertEqual(set(SAYS), set(BROKEN))
        self.assertEqual({library for library, _ in SAYS}, set(FASTEST))
        unknown = self.daemon("tune", "--check", "-", "--library", "no-such")
        self.assertEqual(unknown.code, 3)
        named = unknown.err.split("there are ")[1].strip().split(", ")
        self.assertEqual(set(named), set(FASTEST))

    def test_mistakes_are_found(self):
        for (library, form), mistakes in BROKEN.items():
            for text, finding in mistakes:
                with self.subTest(library=library, form=form, finding=finding):
                    outcome = self.check(self.daemon.write("broken", text), library, form)
                    self.assertEqual(outcome.code, 5, outcome)
                    self.assertIn(finding, outcome.out)
                    self.assertEqual(outcome.err.count("\n"), 1, outcome)

    def test_a_cut_text_is_found(self):
        rules = self.tune("openmpi-4.1", "--format", "rules")
        path = self.daemon.write("cut", rules[: len(rules) // 2])
        self.assertEqual(self.check(path, "openmpi-4.1", "rules").code, 5)

    def test_a_text_of_another_library_is_found(self):
        for library in ("openmpi-4.1", "mpich-4.0", "intelmpi-2019", "ucc-1"):
            text = self.tune("cray-mpich-8.1" if library != "mpich-4.0" else "ucc-1")
            path = self.daemon.write("other", text)
            self.assertEqual(self.check(path, library, "env").code, 5, f"{library}\n{text}")

    def test_the_standard_input_is_read(self):
        words = [COX, "tune", "--check", "-", "--library", "nccl-2"]
        for text, code in ((self.tune("nccl-2"), 0), ("allreduce,0\n", 5), ("", 5)):
            process = subprocess.run(words, input=text, text=True, capture_output=True, timeout=60)
            self.assertEqual(process.returncode, code, process)
            self.assertIn("standard input: ", process.stdout + process.stderr)

    def test_a_shell_takes_the_text(self):
        text = self.tune("ucc-1")
        process = subprocess.run(["sh", "-euc", f'{text}\nprintf %s "$UCC_TL_UCP_TUNE"'], text=True,
                                 capture_output=True, timeout=60)
        self.assertEqual(process.returncode, 0, process)
        self.assertRegex(process.stdout, r"^[a-z_0-9:\-\[\]@#]+$")
        value = process.stdout
        self.assertIn(f"\nset -gx UCC_TL_UCP_TUNE '{value}'\n", self.tune("ucc-1", "--shell", "fish"))
        self.assertIn(f"\nsetenv UCC_TL_UCP_TUNE '{value}'\n", self.tune("ucc-1", "--shell", "csh"))
        self.assertIn(f"\nexport UCC_TL_UCP_TUNE='{value}'\n", self.tune("ucc-1", "--shell", "sh"))
        refused = self.daemon("tune", "-m", "m", "--nodes", "1", "--ppn", "2", "--library",
                              "nccl-2", "--shell", "fish")
        self.assertEqual(refused.code, 5, refused)
        self.assertIn("not a text of `export` lines", refused.err)

    @unittest.skipUnless(shutil.which("ompi_info"), "needs Open MPI")
    def test_open_mpi_has_the_variables_that_the_check_knows(self):
        listed = run(["ompi_info", "--param", "coll", "tuned", "--level", "9", "--parsable"], timeout=120)
        names = sorted(set(re.findall(r":param:(coll_tuned_\w+):value:", listed.out)))
        self.assertGreater(len(names), 60, listed)
        text = "".join(f"export OMPI_MCA_{name}=/1\n" if name.endswith("_filename") else
                       f"export OMPI_MCA_{name}=1\n" for name in names)
        outcome = self.check(self.daemon.write("all", text), "openmpi-4.1", "env", "--json",
                             "--assume", "commutative")
        findings = json.loads(outcome.out)["findings"]
        self.assertEqual([line for line in findings if "no such variable" in line], [])
        # Variables with an effect cause no finding; a radix of 1 makes no tree.
        self.assertRegex("\n".join(findings), "alltoall_small_msg: is registered")
        without = [line for line in findings
                   if not re.search("read|cannot be set|radix: is \"1\"", line)]
        self.assertEqual(without, [])

    def test_promises_let_more_in(self):
        # Intel's manual does not say that its ring keeps the order of operands.
        self.assertNotRegex(self.tune("intelmpi-2019"), "ALLREDUCE=.*8:")
        self.assertRegex(self.tune("intelmpi-2019", "--assume", "commutative"), "ALLREDUCE=.*8:")
        # Elements may be large, so bytes alone do not say that there is one for each rank.
        self.assertNotIn("scatter_allgather_ring", self.tune("openmpi-4.1"))
        promised = self.tune("openmpi-4.1", "--assume", "commutative", "--assume", "elements>=ranks")
        self.assertIn("scatter_allgather_ring", promised)
        # Open MPI's binomial gather may be wrong if the types to send and to receive differ.
        for library in ("openmpi-4.1", "openmpi-5.0"):
            self.assertNotIn("binomial", self.tune(library, "--collective", "gather"))
            self.assertIn("binomial", self.tune(library, "--collective", "gather", "--assume", "same-counts"))


if __name__ == "__main__":
    COX, COXD = sys.argv[1:3]
    del sys.argv[1:3]
    unittest.main()
