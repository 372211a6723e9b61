#!/usr/bin/env python3
"""cox doctor --library with real MPI jobs; launchers that are none only where something is wrong.

usage: doctor_test.py COX [unittest arguments]
"""

import json
import os
import shutil
import stat
import sys
import tempfile
import unittest

from daemon import run

COX = ""
COLLECTIVES = {"allgather", "allreduce", "alltoall", "bcast", "gather", "reduce",
               "reduce_scatter_block", "scatter"}
NEEDS = {"openmpi-4.1": "mpirun.openmpi", "mpich-4.0": "mpirun.mpich"}


class DoctorTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="cox-doctor-test-")
        self.addCleanup(self.folder.cleanup)

    def doctor(self, *words, **environment):
        return run([COX, *words], timeout=600,
                   env={**os.environ, "TMPDIR": self.folder.name, **environment})

    def results(self, code, library, *words, **environment):
        if shutil.which(NEEDS[library]) is None:
            self.skipTest(f"no {NEEDS[library]}")
        outcome = self.doctor("--json", "doctor", "--library", library, *words, **environment)
        self.assertEqual(outcome.code, code, outcome)
        document = json.loads(outcome.out)
        self.assertEqual(document["library"], library)
        self.assertIn("cox-bench", document["command"])
        return {c["collective"]: c["result"] for c in document["collectives"]}, document, outcome

    def script(self, text):
        path = os.path.join(self.folder.name, "launcher")
        with open(path, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n" + text)
        os.chmod(path, stat.S_IRWXU)
        return path

    def refused(self, code, what, *words, **environment):
        outcome = self.doctor("doctor", *words, **environment)
        self.assertEqual(outcome.code, code, outcome)
        self.assertIn(what, outcome.err, outcome)
        self.assertEqual(os.listdir(self.folder.name) in ([], ["launcher"]), True, "something is left")
        return outcome

    # What the real libraries do.

    def test_open_mpi_obeys(self):
        results, _, _ = self.results(0, "openmpi-4.1")
        self.assertEqual(results, dict.fromkeys(COLLECTIVES, "obeys"))
        self.assertEqual(os.listdir(self.folder.name), [])

    def test_mpich_obeys(self):
        results, _, _ = self.results(0, "mpich-4.0")
        self.assertEqual(results, dict.fromkeys(COLLECTIVES, "obeys"))

    def test_open_mpi_without_the_component_that_reads_rules(self):
        results, document, outcome = self.results(1, "openmpi-4.1", OMPI_MCA_coll="^tuned")
        self.assertEqual(results, dict.fromkeys(COLLECTIVES, "does not obey"))
        self.assertIn("coll/tuned", document["collectives"][0]["advice"])
        self.assertIn("alltoall", outcome.err)

    def test_mpich_with_a_variable_that_beats_the_file(self):
        results, _, outcome = self.results(1, "mpich-4.0", MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM="brucks")
        self.assertEqual(results, {**dict.fromkeys(COLLECTIVES, "obeys"), "alltoall": "does not obey"})
        self.assertIn("unclear: alltoall", outcome.err)

    def test_people_get_a_table(self):
        if shutil.which(NEEDS["mpich-4.0"]) is None:
            self.skipTest("no MPICH")
        outcome = self.doctor("doctor", "--library", "mpich-4.0", "--launcher",
                              "mpirun.mpich -n {ranks}")
        self.assertEqual(outcome.code, 0, outcome)
        self.assertRegex(outcome.out, r"(?m)^alltoall +obeys$")
        self.assertIn("last command: mpirun.mpich -n 2 ", outcome.out)

    # What may be wrong.

    def test_libraries_that_there_is_no_test_for(self):
        self.refused(5, "there is no test for openmpi-5.0", "--library", "openmpi-5.0")
        self.refused(3, "there is no library", "--library", "nobody")
        self.assertEqual(self.doctor("doctor", "--launcher", "mpirun").code, 2)
        self.assertEqual(self.doctor("doctor", "--library", "mpich-4.0", "--job-limit", "0").code, 2)

    def test_launchers_that_are_not_there_or_have_no_sense(self):
        self.refused(3, "/no/such/launcher", "--library", "mpich-4.0", "--launcher", "/no/such/launcher")
        self.refused(5, "--launcher", "--library", "mpich-4.0", "--launcher", "mpirun '")

    def test_no_mpirun_in_path(self):
        outcome = self.doctor("doctor", "--library", "mpich-4.0", PATH=self.folder.name)
        self.assertEqual(outcome.code, 3, outcome)
        self.assertIn("mpirun.mpich in PATH", outcome.err)

    def test_a_job_that_always_fails_shows_why(self):
        launcher = self.script("echo 'no allocation for you' >&2; exit 7\n")
        outcome = self.refused(1, "exit code 7", "--library", "mpich-4.0", "--launcher", launcher)
        self.assertIn("no allocation for you", outcome.err)
        self.assertIn(launcher, outcome.err)
        self.assertEqual(outcome.out, "")

    def test_a_job_that_does_not_end(self):
        launcher = self.script("exec sleep 1000\n")
        self.refused(1, "cannot be tested", "--library", "mpich-4.0", "--launcher", launcher,
                     "--job-limit", "1")

    def test_a_job_that_fails_of_something_else(self):
        """Sound the first time, with an error that is not the library's for every trap."""
        launcher = self.script(f"test -e {self.folder.name}/launched && exit 9\n"
                               f": > {self.folder.name}/launched\nexit 0\n")
        outcome = self.doctor("--json", "doctor", "--library", "mpich-4.0", "--launcher", launcher)
        self.assertEqual(outcome.code, 1, outcome)
        results = {c["result"] for c in json.loads(outcome.out)["collectives"]}
        self.assertEqual(results, {"unclear"})
        self.assertIn("exit code 9", outcome.err)

    def test_rows_of_another_library(self):
        launcher = self.script(
            "echo machine,library,collective,algorithm,nodes,ppn,ranks,block_bytes,time_s\n"
            "echo m,mpich-9.9,bcast,default,1,2,2,8,1e-6\n")
        self.refused(5, "is built with mpich-9.9", "--library", "mpich-4.0", "--launcher", launcher)


if __name__ == "__main__":
    COX = sys.argv.pop(1)
    unittest.main(verbosity=2)
