#!/usr/bin/env python3
"""cox predict --node-list against SimGrid's fat tree, torus and dragonfly (platforms/*.xml).

usage: placement_test.py COX COXD [unittest arguments]

alpha and beta come from neighbours; how the nodes are connected and the hop time are the platform's. All other times
judge."""

import os
import pathlib
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "cli"))

import simulation  # noqa: E402
from daemon import Daemon  # noqa: E402

COX = COXD = ""
FAT_TREE = "".join(f"SwitchName=leaf{i} Nodes=n[{8 * i}-{8 * i + 7}]\n" for i in range(8)) + \
    "SwitchName=spine Switches=leaf[0-7]\n"
BYTES = 1_000_000
SHOW = "COX_SHOW" in os.environ  # prints every pair of times
# Strategy -> SimGrid's name of the same algorithm.
STRATEGIES = {"alltoall/1-lev-perm-xor": "pair", "allgather/ring": "NTSLR", "allgather/recursive-doubling": "rdb"}


def spread(leaves, each):
    return [8 * leaf + i for leaf in range(leaves) for i in range(each)]


def in_turns(leaves):
    """Ranks beside each other are at different switches."""
    return [8 * leaf + i for i in range(8) for leaf in range(leaves)]


class Simulated(unittest.TestCase):
    """A simulated machine with a rank on each node, and a coxd that knows its alpha, beta and network."""
    PLATFORM = NETWORK = ""
    WORDS = ()  # of cox machine switches
    NEIGHBOURS = ()

    @classmethod
    def setUpClass(cls):
        if not cls.PLATFORM:
            raise unittest.SkipTest("only its machines are tested")
        folder = tempfile.TemporaryDirectory(prefix="cox-placement-")
        cls.addClassCleanup(folder.cleanup)
        cls.program = simulation.compiled(HERE / "collective_times.c", folder.name)
        cls.machine = simulation.Machine(cls.PLATFORM, cls.PLATFORM, 1, "mpich-4.0", "mpich", simulation.MPICH)
        short_s, long_s = cls.simulated("alltoall/1-lev-perm-xor", cls.NEIGHBOURS, sizes=(1, BYTES))
        steps = len(cls.NEIGHBOURS) - 1
        cls.alpha_s = short_s / steps
        beta = (long_s - short_s) / steps / (BYTES - 1)
        cls.daemon = Daemon(COXD, COX)
        cls.daemon.start()
        cls.addClassCleanup(cls.daemon.__exit__)
        parameters = "".join(
            f'[[profile.parameter]]\nmodel = "hockney"\nlevel = "{level}"\nname = "{name}"\nvalue = {value!r}\n'
            for level in ("node", "network") for name, value in (("alpha", cls.alpha_s), ("beta", beta)))
        cls.cox("machine", "import", cls.daemon.write("m.toml", (
            f'[machine]\nname = "m"\nnodes = {cls.machine.nodes}\ncores_per_node = 1\n' + parameters)))
        cls.cox("machine", "switches", "m", "--file", cls.daemon.write("network.conf", cls.NETWORK), *cls.WORDS)

    @classmethod
    def cox(cls, *words):
        outcome = cls.daemon(*words)
        if outcome.code != 0:
            raise AssertionError(str(outcome))
        return outcome.out

    @classmethod
    def simulated(cls, strategy, nodes, sizes=(BYTES,)):
        collective = strategy.partition("/")[0]
        lines = cls.machine.run(
            cls.program, len(nodes), [collective, ",".join(map(str, sizes))],
            ["--cfg=smpi/coll-selector:mpich", f"--cfg=smpi/{collective}:{STRATEGIES[strategy]}"], nodes)
        return [float(line.split()[2]) for line in lines]

    def predicted(self, strategy, node_lists, *words, block_bytes=BYTES):
        options = [word for nodes in node_lists for word in ("--node-list", ",".join(f"n{n}" for n in nodes))]
        answer = self.daemon.json("predict", "-m", "m", "-c", strategy.partition("/")[0], "--strategy", strategy,
                                  "-p", str(len(node_lists[0])), "--ppn", "1", "-b", str(block_bytes), *options, *words)
        return [response["predictions"][0]["time_s"] for response in answer["responses"]]

    def assert_near(self, strategy, nodes, *words, within=0.05):
        [predicted_s] = self.predicted(strategy, [nodes], *words)
        [simulated_s] = self.simulated(strategy, nodes)
        if SHOW:
            print(f"{self.PLATFORM} {strategy} {nodes} {' '.join(words)}: simulated {simulated_s:.4g} s, "
                  f"predicted {predicted_s:.4g} s", file=sys.stderr)
        self.assertLess(abs(predicted_s / simulated_s - 1), within, f"{strategy}: {predicted_s} {simulated_s}")


class FatTreeTest(Simulated):
    """8 leaf switches of 8 nodes, two nodes for each up-link."""
    PLATFORM, NETWORK, WORDS = "fat-tree", FAT_TREE, ("--taper", "2", "--hop-time", "1us")
    NEIGHBOURS = spread(1, 8)

    def test_whole_switches(self):
        for leaves in (2, 4, 8):
            self.assert_near("alltoall/1-lev-perm-xor", spread(leaves, 8))
        self.assert_near("allgather/recursive-doubling", spread(2, 8))
        self.assert_near("allgather/ring", spread(4, 8))

    def test_the_order_of_the_nodes(self):
        self.assert_near("allgather/ring", in_turns(2))
        self.assert_near("allgather/ring", in_turns(8))
        together_s, in_turns_s = self.predicted("allgather/ring", [spread(8, 8), in_turns(8)])
        self.assertGreater(in_turns_s, 1.9 * together_s)

    def test_alone_on_parts_of_switches(self):
        """16 ranks at four switches of an idle machine are faster than at two."""
        two, four = spread(2, 8), spread(4, 4)
        self.assert_near("alltoall/1-lev-perm-xor", four, "--idle-switches")
        two_s, four_s = self.predicted("alltoall/1-lev-perm-xor", [two, four], "--idle-switches")
        self.assertGreater(two_s, 1.4 * four_s)

    def test_short_messages_pay_for_hops(self):
        nodes = spread(4, 2)
        [predicted_s] = self.predicted("alltoall/1-lev-perm-xor", [nodes], "--idle-switches", block_bytes=1)
        [simulated_s] = self.simulated("alltoall/1-lev-perm-xor", nodes, sizes=(1,))
        self.assertGreater(predicted_s, 7.5 * self.alpha_s)
        self.assertLess(abs(predicted_s / simulated_s - 1), 0.05, f"{predicted_s} {simulated_s}")

    def test_the_table_compares_placements(self):
        out = self.cox("predict", "-m", "m", "-c", "allgather", "--strategy", "allgather/ring", "-p", "16", "--ppn",
                       "1", "-b", "1MB", "--node-list", "n[0-15]", "--node-list", "n[0-3,8-11,16-19,24-27]")
        self.assertIn("(1) n[0-15]: 16 nodes at 2 switches, 3.07 links between two nodes, 4 between halves", out)
        self.assertIn("(2) / (1)", out)
        recommended = self.cox("recommend", "-m", "m", "-c", "allgather", "-p", "16", "--ppn", "1", "-b", "1MB",
                               "--library", "openmpi-4.1", "--node-list", "n[0-15]", "--node-list", "n[0-7,56-63]")
        self.assertEqual(recommended.count("16 nodes at 2 switches"), 2, recommended)

    def test_bad_input_is_named(self):
        asked = ("predict", "-m", "m", "-c", "allgather", "-p", "4", "--ppn", "1", "-b", "1", "--node-list")
        for nodes, why in (("n[0-2],n99", "no node n99"), ("n[0-3],n1", "n1 occurs twice"), ("n[0-2]", "needs 4"),
                           ("n[3-0]", "falls")):
            outcome = self.daemon(*asked, nodes)
            self.assertNotEqual(outcome.code, 0)
            self.assertIn(why, outcome.err)
        loop = self.daemon.write("loop.conf", "SwitchName=a Switches=b\nSwitchName=b Switches=a\n")
        outcome = self.daemon("machine", "switches", "m", "--slurm", loop)
        self.assertNotEqual(outcome.code, 0)
        self.assertIn("line 1: switch a is in or below a loop", outcome.err)
        self.assertEqual(self.cox("machine", "switches", "m").splitlines()[0], "# 64 nodes at 9 switches")


class TorusTest(Simulated):
    """4 by 4 nodes."""
    PLATFORM, NETWORK, WORDS = "torus", "Torus=4x4 Nodes=n[0-15]\n", ("--hop-time", "2us")
    NEIGHBOURS = (0, 1)

    def test_all_to_all(self):
        for nodes in (range(4), range(8), range(16), (0, 1, 4, 5), (0, 2, 8, 10)):
            self.assert_near("alltoall/1-lev-perm-xor", list(nodes))

    def test_rings(self):
        along = [0, 1, 2, 3, 7, 6, 5, 4]
        across = [0, 2, 1, 3, 5, 7, 4, 6]
        self.assert_near("allgather/ring", along)
        # The ranks of a ring do not wait for each other's steps, so other links are busy together.
        self.assert_near("allgather/ring", across, within=0.15)
        along_s, across_s = self.predicted("allgather/ring", [along, across])
        self.assertGreater(across_s, 1.4 * along_s)

    def test_short_messages_pay_for_hops(self):
        for nodes in ([0, 10], list(range(16))):
            [predicted_s] = self.predicted("alltoall/1-lev-perm-xor", [nodes], block_bytes=1)
            [simulated_s] = self.simulated("alltoall/1-lev-perm-xor", nodes, sizes=(1,))
            self.assertLess(abs(predicted_s / simulated_s - 1), 0.05, f"{predicted_s} {simulated_s}")


class DragonflyTest(Simulated):
    """4 groups of 4 routers of 4 nodes."""
    PLATFORM, WORDS = "dragonfly", ("--hop-time", "1us")
    NETWORK = "Dragonfly=4x1x4x4 Nodes=n[0-63] GlobalWidth=2\n"
    NEIGHBOURS = tuple(range(4))

    def test_all_to_all(self):
        two_groups = list(range(8)) + list(range(16, 24))
        for nodes in (list(range(16)), two_groups, list(range(64))):
            self.assert_near("alltoall/1-lev-perm-xor", nodes, within=0.1)

    def test_recursive_doubling(self):
        together, apart = list(range(16)), [16 * group + i for group in range(4) for i in range(4)]
        for nodes in (together, apart):
            self.assert_near("allgather/recursive-doubling", nodes)


if __name__ == "__main__":
    COX, COXD = sys.argv[1:3]
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
