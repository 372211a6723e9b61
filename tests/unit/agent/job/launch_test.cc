#include "agent/job/launch.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <string>

namespace cox::agent {
namespace {

class LaunchTest : public testing::Test {
 protected:
  LaunchTest() { Clear(); }
  ~LaunchTest() override { Clear(); }
  static void Clear() {
    for (const char* name :
         {"OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE", "OMPI_MCA_orte_num_nodes",
          "OMPI_MCA_ess_base_jobid", "PMIX_NAMESPACE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS",
          "SLURM_LOCALID", "SLURM_JOB_ID", "SLURM_STEP_ID", "SLURM_NODEID", "SLURM_NNODES",
          "SLURM_STEP_NUM_NODES", "SLURM_STEP_TASKS_PER_NODE", "SLURM_TASKS_PER_NODE"}) {
      unsetenv(name);
    }
  }
  static void Set(const char* name, const char* value) { setenv(name, value, 1); }
};

TEST_F(LaunchTest, WithoutALauncher) {
  const Launch launch = ReadLaunch();
  EXPECT_FALSE(launch.known);
  EXPECT_EQ(launch.local_rank, 0);
  EXPECT_EQ(launch.local_ranks, 1);
  EXPECT_STREQ(launch.id, "");
}

TEST_F(LaunchTest, OpenMpi) {
  Set("OMPI_COMM_WORLD_LOCAL_RANK", "3");
  Set("OMPI_COMM_WORLD_LOCAL_SIZE", "4");
  Set("OMPI_MCA_orte_num_nodes", "2");
  Set("PMIX_NAMESPACE", "123456");
  const Launch launch = ReadLaunch();
  EXPECT_TRUE(launch.known);
  EXPECT_EQ(launch.local_rank, 3);
  EXPECT_EQ(launch.local_ranks, 4);
  EXPECT_EQ(launch.nodes, 2);
  EXPECT_STREQ(launch.id, "openmpi-123456");
}

TEST_F(LaunchTest, HydraRanksOfANodeShareAName) {
  Set("MPI_LOCALRANKID", "1");
  Set("MPI_LOCALNRANKS", "2");
  const Launch one = ReadLaunch();
  EXPECT_TRUE(one.known);
  EXPECT_EQ(one.local_rank, 1);
  EXPECT_EQ(one.local_ranks, 2);
  Set("MPI_LOCALRANKID", "0");
  const Launch other = ReadLaunch();
  EXPECT_STREQ(one.id, other.id);
  EXPECT_EQ(std::string(one.id).rfind("hydra-", 0), 0);
}

TEST_F(LaunchTest, Slurm) {
  Set("SLURM_LOCALID", "0");
  Set("SLURM_JOB_ID", "77");
  Set("SLURM_STEP_ID", "2");
  Set("SLURM_STEP_NUM_NODES", "5");
  struct {
    const char* node;
    const char* tasks;
    int local_ranks;
  } const cases[] = {{"0", "2(x3),1", 2}, {"2", "2(x3),1", 2}, {"3", "2(x3),1", 1},
                     {"1", "4,8", 8},     {"0", "16", 16},     {"9", "2", 1},
                     {"0", "", 1},        {"0", "x", 1},       {"0", "-3", 1}};
  for (const auto& [node, tasks, local_ranks] : cases) {
    Set("SLURM_NODEID", node);
    Set("SLURM_STEP_TASKS_PER_NODE", tasks);
    const Launch launch = ReadLaunch();
    EXPECT_TRUE(launch.known);
    EXPECT_EQ(launch.local_ranks, local_ranks) << node << " of " << tasks;
    EXPECT_EQ(launch.nodes, 5);
    EXPECT_STREQ(launch.id, "slurm-77.2");
  }
}

TEST_F(LaunchTest, NonsenseFromALauncherIsBounded) {
  Set("OMPI_COMM_WORLD_LOCAL_RANK", "three");
  Set("OMPI_COMM_WORLD_LOCAL_SIZE", "-4");
  Set("OMPI_MCA_orte_num_nodes", "99999999999999999999");
  const Launch launch = ReadLaunch();
  EXPECT_EQ(launch.local_rank, 0);
  EXPECT_EQ(launch.local_ranks, 1);
}

TEST(ShapeOfJobTest, RanksAlwaysFit) {
  for (int64_t ranks = 1; ranks <= 40; ++ranks) {
    for (int64_t local = 0; local <= 12; ++local) {
      for (int64_t nodes = 0; nodes <= 12; ++nodes) {
        const JobShape shape = ShapeOfJob(ranks, local, nodes);
        ASSERT_GE(shape.nodes, 1);
        ASSERT_GE(shape.ppn, 1);
        ASSERT_LE(ranks, shape.nodes * shape.ppn) << ranks << " " << local << " " << nodes;
      }
    }
  }
}

TEST(ShapeOfJobTest, UsualShapes) {
  EXPECT_EQ(ShapeOfJob(8, 4, 2).nodes, 2);
  EXPECT_EQ(ShapeOfJob(8, 4, 2).ppn, 4);
  EXPECT_EQ(ShapeOfJob(8, 4, 0).nodes, 2);
  // The allocation has two nodes, the job fills one.
  EXPECT_EQ(ShapeOfJob(4, 4, 2).nodes, 1);
  EXPECT_EQ(ShapeOfJob(4, 4, 2).ppn, 4);
  // The node that asks has the smaller share.
  EXPECT_EQ(ShapeOfJob(7, 3, 2).ppn, 4);
}

}  // namespace
}  // namespace cox::agent
