#include "cli/run/job_shape.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "absl/strings/str_split.h"
#include "folder.h"

namespace cox::cli {
namespace {

using ::testing::HasSubstr;
using Variables = std::map<std::string, std::string>;

Environment From(const Variables& variables) {
  return [variables](const char* name) {
    const auto found = variables.find(name);
    // Kept alive by the closure that the caller holds.
    return found == variables.end() ? nullptr : found->second.c_str();
  };
}

// Launchers and programs that exist, independent of the installed ones.
class JobShapeTest : public ::testing::Test {
 protected:
  JobShapeTest() {
    for (const char* name : {"orterun", "mpiexec.hydra", "srun", "app", "wrapper"}) {
      chmod(folder_.Write(name, "#!/bin/sh\n").c_str(), 0755);
    }
    std::filesystem::create_symlink(folder_.Path("orterun"), folder_.Path("mpirun"));
  }

  // The first word, and "app", are files of the folder.
  std::vector<std::string> Command(const std::string& text) const {
    std::vector<std::string> words = absl::StrSplit(text, ' ', absl::SkipEmpty());
    for (std::string& word : words) {
      if (word == words[0] || word == "app") word = folder_.Path(word);
    }
    return words;
  }

  LauncherWords Read(const std::string& text) const {
    const absl::StatusOr<LauncherWords> words = ReadLauncherWords(Command(text));
    EXPECT_TRUE(words.ok()) << words.status();
    return words.value_or(LauncherWords());
  }

  // "nodes x ppn", or the message.
  std::string Shape(const std::string& text, const Variables& variables = {},
                    const JobShape& given = {}) const {
    const absl::StatusOr<JobShape> shape = FindJobShape(given, Read(text), From(variables));
    if (!shape.ok()) return std::string(shape.status().message());
    return std::to_string(shape->nodes) + "x" + std::to_string(shape->ppn);
  }

  Folder folder_;
};

TEST_F(JobShapeTest, LaunchersAreKnownByTheirNameAndThroughLinks) {
  EXPECT_EQ(KindOfLauncher(folder_.Path("mpirun")), LauncherKind::kOpenMpi);
  EXPECT_EQ(KindOfLauncher(folder_.Path("mpiexec.hydra")), LauncherKind::kHydra);
  EXPECT_EQ(KindOfLauncher(folder_.Path("srun")), LauncherKind::kSrun);
  EXPECT_EQ(KindOfLauncher(folder_.Path("app")), LauncherKind::kNone);
  EXPECT_EQ(KindOfLauncher("no-such-launcher"), LauncherKind::kNone);
}

TEST_F(JobShapeTest, EveryWayToSayHowManyRanks) {
  for (const char* text :
       {"mpirun -n 64 app", "mpirun -np 64 app", "mpirun --np 64 app", "mpirun --np=64 app",
        "mpirun -x A -mca b c -n 64 app -n 3", "mpiexec.hydra -genv A b -n 64 app -np 3",
        "srun -n64 app", "srun --ntasks=64 app", "srun --mpi=pmix -n 64 app -n 2"}) {
    const LauncherWords words = Read(text);
    EXPECT_EQ(words.ranks, 64) << text;
    EXPECT_EQ(Command(text)[words.program_at], folder_.Path("app")) << text;
  }
}

TEST_F(JobShapeTest, TheProgramsOwnWordsAreNotTheLaunchers) {
  EXPECT_EQ(Read("mpirun app -n 64").ranks, 0);
  EXPECT_EQ(Read("app -n 64").ranks, 0);
  // An unknown option with a value.
  EXPECT_EQ(Read("mpirun --novel thing -n 8 app").ranks, 8);
  // And one without.
  EXPECT_EQ(Read("mpirun --novel app -n 8").ranks, 0);
}

TEST_F(JobShapeTest, NonsenseIsNoNumber) {
  for (const char* text : {"mpirun -n x app", "mpirun -n -4 app", "mpirun -n 0 app",
                           "mpirun -n 99999999999999999999 app", "mpirun -n"}) {
    EXPECT_EQ(Read(text).ranks, 0) << text;
  }
}

TEST_F(JobShapeTest, SeveralProgramsAreRefused) {
  EXPECT_FALSE(ReadLauncherWords(Command("mpirun -n 2 app : -n 3 app")).ok());
  EXPECT_TRUE(ReadLauncherWords({}).ok());
}

TEST_F(JobShapeTest, WithoutSchedulerAllRanksAreHere) {
  EXPECT_EQ(Shape("mpirun -n 6 app"), "1x6");
  EXPECT_EQ(Shape("mpirun -n 1 app"), "1x1");
}

TEST_F(JobShapeTest, NamedHostsAreAskedAbout) {
  EXPECT_THAT(Shape("mpirun --hostfile f -n 6 app"), HasSubstr("--nodes"));
  EXPECT_EQ(Shape("mpirun --hostfile f -n 6 app", {}, {3, 0}), "3x2");
  EXPECT_EQ(Shape("mpirun --hostfile f -n 6 --map-by ppr:3:node app"), "2x3");
  EXPECT_EQ(Shape("mpiexec.hydra -f f -n 6 -ppn 2 app"), "3x2");
}

TEST_F(JobShapeTest, WhatIsSaidGoesFirst) {
  const Variables slurm = {{"SLURM_JOB_NUM_NODES", "4"}, {"SLURM_TASKS_PER_NODE", "8(x4)"}};
  EXPECT_EQ(Shape("app", slurm), "4x8");
  EXPECT_EQ(Shape("app", slurm, {2, 3}), "2x3");
  EXPECT_EQ(Shape("app", slurm, {0, 2}), "4x2");
  EXPECT_EQ(Shape("srun -N 2 --ntasks-per-node=4 app", slurm), "2x4");
  EXPECT_EQ(Shape("srun -N 2 -n 6 app", slurm), "2x3");
}

TEST_F(JobShapeTest, NodesAreFilledOneAfterTheOther) {
  const Variables slurm = {{"SLURM_JOB_NUM_NODES", "4"}, {"SLURM_TASKS_PER_NODE", "8(x4)"}};
  EXPECT_EQ(Shape("mpirun -n 16 app", slurm), "2x8");
  EXPECT_EQ(Shape("mpirun -n 5 app", slurm), "1x5");
  EXPECT_THAT(Shape("mpirun -n 12 app", slurm), HasSubstr("filled alike"));
  EXPECT_EQ(Shape("mpirun -n 64 app", slurm), "4x16");
}

TEST_F(JobShapeTest, AStepGoesBeforeItsJob) {
  const Variables slurm = {{"SLURM_JOB_NUM_NODES", "4"},
                           {"SLURM_TASKS_PER_NODE", "8(x4)"},
                           {"SLURM_STEP_NUM_NODES", "2"},
                           {"SLURM_STEP_TASKS_PER_NODE", "3(x2)"}};
  EXPECT_EQ(Shape("app", slurm), "2x3");
}

// As in the shell of salloc where the site starts it as a step of its own.
TEST_F(JobShapeTest, AStepOfOneTaskIsAShellInItsJob) {
  const Variables slurm = {{"SLURM_JOB_NUM_NODES", "8"},
                           {"SLURM_TASKS_PER_NODE", "8(x8)"},
                           {"SLURM_STEP_NUM_NODES", "1"},
                           {"SLURM_STEP_NUM_TASKS", "1"},
                           {"SLURM_STEP_TASKS_PER_NODE", "1"}};
  EXPECT_EQ(Shape("mpirun -n 64 app", slurm), "8x8");
  EXPECT_EQ(Shape("srun app", slurm), "8x8");
}

TEST_F(JobShapeTest, NodesThatDifferAreRefused) {
  for (const char* tasks : {"8(x3),7", "8,7", "", "x", "-1"}) {
    EXPECT_THAT(Shape("app", {{"SLURM_JOB_NUM_NODES", "4"}, {"SLURM_TASKS_PER_NODE", tasks}}),
                HasSubstr("--ppn"))
        << tasks;
  }
  EXPECT_THAT(Shape("mpirun -n 5 app", {}, {2, 2}), HasSubstr("5 ranks do not fill 2 nodes"));
}

TEST_F(JobShapeTest, PbsNamesAHostForEachRank) {
  const std::string alike = folder_.Write("alike", "a\na\nb\nb\n");
  const std::string uneven = folder_.Write("uneven", "a\na\nb\n");
  EXPECT_EQ(Shape("app", {{"PBS_NODEFILE", alike}}), "2x2");
  EXPECT_THAT(Shape("app", {{"PBS_NODEFILE", uneven}}), HasSubstr("--ppn"));
  EXPECT_THAT(Shape("app", {{"PBS_NODEFILE", folder_.Path("absent")}}), HasSubstr("--ppn"));
}

// The rank of the count of tasks; "-" where the process is alone.
std::string Task(const Variables& variables) {
  const std::optional<StepTask> task = FindStepTask(From(variables));
  if (!task.has_value()) return "-";
  return std::to_string(task->rank) + "/" + std::to_string(task->count);
}

TEST(FindStepTask, EachLauncherSaysIt) {
  EXPECT_EQ(Task({{"SLURM_PROCID", "3"}, {"SLURM_STEP_NUM_TASKS", "4"}}), "3/4");
  EXPECT_EQ(Task({{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "2"}}), "0/2");
  EXPECT_EQ(Task({{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}}), "1/2");
}

TEST(FindStepTask, ABatchScriptsShellIsAlone) {
  EXPECT_EQ(Task({}), "-");
  EXPECT_EQ(Task({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}, {"SLURM_NPROCS", "4"}}), "-");
  EXPECT_EQ(Task({{"SLURM_PROCID", "0"}, {"SLURM_STEP_NUM_TASKS", "1"}}), "-");
}

TEST_F(JobShapeTest, NothingKnownIsAskedFor) { EXPECT_THAT(Shape("app"), HasSubstr("--nodes")); }

}  // namespace
}  // namespace cox::cli
