#include "cli/run/run_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "cli/run/mpi_library.h"
#include "folder.h"
#include "library/fingerprint.h"

namespace cox::cli {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;
using SetVariables = std::map<std::string, std::string>;

Environment SettingsFrom(const SetVariables& variables) {
  return [variables](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  };
}

// COX_SET of a hook that has set these.
std::string HookSet(const std::vector<Setting>& settings) {
  std::vector<std::string> entries;
  for (const auto& [name, value] : settings) {
    entries.push_back(name + ":" + library::Fingerprint(value));
  }
  return absl::StrJoin(entries, ",");
}

v1::GetTuningResponse Answer(const std::string& algorithm, const std::string& text) {
  v1::GetTuningResponse answer;
  answer.set_text(text);
  answer.add_rows()->set_algorithm(algorithm);
  return answer;
}

TEST(MachineOfJob, GivenThenVariablesThenHost) {
  const SetVariables both = {{"COX_MACHINE", "mine"}, {"SLURM_CLUSTER_NAME", "cluster"}};
  EXPECT_EQ(MachineOfJob("given", SettingsFrom(both), "node17"), "given");
  EXPECT_EQ(MachineOfJob("", SettingsFrom(both), "node17"), "mine");
  EXPECT_EQ(MachineOfJob("", SettingsFrom({{"SLURM_CLUSTER_NAME", "cluster"}}), "node17"),
            "cluster");
  EXPECT_EQ(MachineOfJob("", SettingsFrom({{"SLURM_CLUSTER_NAME", "-My Cluster.2"}}), "node17"),
            "my-cluster.2");
  EXPECT_EQ(MachineOfJob("", SettingsFrom({{"SLURM_CLUSTER_NAME", "--"}}), "node17"), "node");
  EXPECT_EQ(MachineOfJob("", SettingsFrom({}), "Node-017.site.org"), "node");
  EXPECT_EQ(MachineOfJob("", SettingsFrom({}), "12"), "12");
  EXPECT_EQ(MachineOfJob("", SettingsFrom({}), ""), "localhost");
}

TEST(TuningSettings, OpenMpiReadsAFile) {
  const auto settings = TuningSettings("openmpi-4.1", Answer("ring", "rules"), "/path");
  ASSERT_TRUE(settings.ok());
  EXPECT_THAT(*settings, ElementsAre(Pair("OMPI_MCA_coll_tuned_use_dynamic_rules", "1"),
                                     Pair("OMPI_MCA_coll_tuned_dynamic_rules_filename", "/path")));
}

TEST(ReadsFile, MpichWhereHydraStartsAllRanksHere) {
  LauncherWords hydra;
  hydra.kind = LauncherKind::kHydra;
  EXPECT_TRUE(ReadsFile("mpich-4.0", hydra, {1, 4}, SettingsFrom({}), false));
  EXPECT_FALSE(ReadsFile("mpich-4.0", hydra, {2, 4}, SettingsFrom({}), false));
  EXPECT_FALSE(ReadsFile("mpich-4.0", hydra, {1, 4}, SettingsFrom({{"SLURM_JOB_ID", "1"}}), false));
  EXPECT_FALSE(ReadsFile("mpich-4.0", hydra, {1, 4}, SettingsFrom({{"PBS_JOBID", "1"}}), false));
  EXPECT_FALSE(ReadsFile("mpich-4.0", LauncherWords(), {1, 4}, SettingsFrom({}), false));
  EXPECT_FALSE(ReadsFile("mvapich-3.0", hydra, {1, 4}, SettingsFrom({}), false));
  hydra.hosts_named = true;
  EXPECT_FALSE(ReadsFile("mpich-4.0", hydra, {1, 4}, SettingsFrom({}), false));
  EXPECT_TRUE(ReadsFile("openmpi-4.1", LauncherWords(), {2, 4},
                        SettingsFrom({{"SLURM_JOB_ID", "1"}}), false));
}

TEST(ReadsFile, MpichWhereAllNodesSeeTheFolder) {
  const Environment none = SettingsFrom({});
  EXPECT_TRUE(
      ReadsFile("mpich-4.0", LauncherWords(), {8, 4}, SettingsFrom({{"SLURM_JOB_ID", "1"}}), true));
  EXPECT_FALSE(ReadsFile("mvapich-3.0", LauncherWords(), {8, 4}, none, true));
}

TEST(TuningSettings, MpichReadsASelectionFile) {
  const auto settings = TuningSettings("mpich-4.0", Answer("ring", "{}"), "/path");
  ASSERT_TRUE(settings.ok());
  EXPECT_THAT(*settings, ElementsAre(Pair("MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE", "/path")));
}

TEST(TuningSettings, MpichReadsVariables) {
  const auto settings =
      TuningSettings("mpich-4.0",
                     Answer("ring",
                            "# a comment\nexport MPIR_CVAR_ALLGATHER_INTRA_ALGORITHM=ring\n\n"
                            "export MPIR_CVAR_BCAST_INTRA_ALGORITHM=binomial\n"),
                     "");
  ASSERT_TRUE(settings.ok()) << settings.status();
  EXPECT_THAT(*settings, ElementsAre(Pair("MPIR_CVAR_ALLGATHER_INTRA_ALGORITHM", "ring"),
                                     Pair("MPIR_CVAR_BCAST_INTRA_ALGORITHM", "binomial")));
}

TEST(TuningSettings, OpenMpi5LeavesHanOut) {
  const auto settings = TuningSettings("openmpi-5.0", Answer("ring", "rules"), "/path");
  ASSERT_TRUE(settings.ok());
  EXPECT_THAT(*settings, Contains(Pair("OMPI_MCA_coll_han_priority", "0")));
  EXPECT_THAT(*settings, Contains(Pair("OMPI_MCA_coll_tuned_dynamic_rules_filename", "/path")));
}

TEST(TuningSettings, QuotesAreTheShells) {
  const auto settings =
      TuningSettings("intelmpi-2019", Answer("ring", "export I_MPI_ADJUST_BCAST='1:0-9;3'\n"), "");
  ASSERT_TRUE(settings.ok());
  EXPECT_THAT(*settings, ElementsAre(Pair("I_MPI_ADJUST_BCAST", "1:0-9;3")));
  EXPECT_TRUE(TuningSettings("ucc-1", Answer("x", "export UCC_TL_UCP_TUNE=inf\n"), "").ok());
}

TEST(TuningSettings, NothingToChangeIsNothingToSet) {
  const auto settings = TuningSettings("openmpi-4.1", Answer("default", "rules"), "");
  ASSERT_TRUE(settings.ok());
  EXPECT_THAT(*settings, IsEmpty());
}

TEST(TuningSettings, OnlyTheLibrarysOwnVariablesMayBeSet) {
  for (const char* text : {"export LD_PRELOAD=/evil.so\n", "export PATH=/\n", "rm -rf x\n",
                           "export MPIR_CVAR_A\n", "export MPIR_CVAR_A;B=1\n", "\xff\xfe"}) {
    EXPECT_FALSE(TuningSettings("mpich-4.0", Answer("ring", text), "").ok()) << text;
  }
}

TEST(ApplySettings, AsksForLibcoxcollAndTrials) {
  const auto plain = ApplySettings("mpich-4.0", {.promises = {}, .limit_ms = 200});
  ASSERT_TRUE(plain.ok()) << plain.status();
  EXPECT_THAT(*plain, UnorderedElementsAre(Pair("COX_APPLY", "1"), Pair("COX_LIMIT", "200ms")));
  const auto ours = ApplySettings(
      "openmpi-4.1",
      {.promises = {"any-order"}, .limit_ms = 10, .with_coxcoll = true, .explore_ratio = 0.05});
  ASSERT_TRUE(ours.ok()) << ours.status();
  EXPECT_THAT(*ours,
              UnorderedElementsAre(Pair("COX_APPLY", "ours"), Pair("COX_LIMIT", "10ms"),
                                   Pair("COX_ASSUME", "any-order"), Pair("COX_EXPLORE", "0.05"),
                                   Pair("OMPI_MCA_coll_tuned_use_dynamic_rules", "1")));
  EXPECT_FALSE(ApplySettings("intelmpi-2019", {.promises = {}, .limit_ms = 200}).ok());
}

TEST(ApplySettings, HasTheShareOfCanaries) {
  const auto settings =
      ApplySettings("mpich-4.0", {.promises = {}, .limit_ms = 200, .canary_ratio = 0.05});
  ASSERT_TRUE(settings.ok()) << settings.status();
  EXPECT_THAT(*settings, Contains(Pair("COX_CANARY", "5%")));
}

TEST(SampleSettings, HalfOfWhatTrialsMayCost) {
  EXPECT_THAT(SampleSettings(0.1, SettingsFrom({})), ElementsAre(Pair("COX_SYNC", "5%")));
  EXPECT_THAT(SampleSettings(0, SettingsFrom({})), IsEmpty());
  EXPECT_THAT(SampleSettings(0.1, SettingsFrom({{"COX_SYNC", "0"}})), IsEmpty());
  // An earlier hook's own.
  EXPECT_THAT(SampleSettings(0.05, SettingsFrom({{"COX_SYNC", "5%"}, {"COX_SET", "COX_SYNC"}})),
              ElementsAre(Pair("COX_SYNC", "2.5%")));
}

TEST(SetByHand, WhatAHookHasSetIsNot) {
  const std::vector<Setting> settings = {{"A", "1"}, {"B", "2"}};
  EXPECT_EQ(SetByHand(settings, SettingsFrom({{"B", "mine"}})), "B");
  EXPECT_EQ(SetByHand(settings, SettingsFrom({{"B", "earlier"}, {"COX_SET", "C,B"}})), "");
  EXPECT_EQ(SetByHand(settings, SettingsFrom({})), "");
}

TEST(SetByHand, WhatTheUserHasChangedSinceIs) {
  const std::string of_hook = HookSet({{"A", "1"}, {"B", "2"}});
  const std::vector<Setting> settings = {{"A", "3"}, {"B", "3"}};
  EXPECT_EQ(SetByHand(settings, SettingsFrom({{"A", "1"}, {"B", "2"}, {"COX_SET", of_hook}})), "");
  EXPECT_EQ(SetByHand(settings, SettingsFrom({{"A", "1"}, {"B", "mine"}, {"COX_SET", of_hook}})),
            "B");
}

TEST(Combine, WhatTheUserHasChangedSinceStays) {
  const RunSettings settings = Combine(
      {}, "", "m", "s", "",
      SettingsFrom(
          {{"A", "1"}, {"B", "mine"}, {"COX_SET", HookSet({{"A", "1"}, {"B", "2"}, {"C", "3"}})}}));
  EXPECT_THAT(settings.unset, UnorderedElementsAre("A", "COX_SET"));
}

TEST(SetByEarlierHook, HasTheTuningThatATaskKeeps) {
  EXPECT_THAT(
      SetByEarlierHook(SettingsFrom(
          {{"A", "1"}, {"B", "mine"}, {"COX_SERVER", "host:1"}, {"COX_SET", "A,COX_SERVER,GONE"}})),
      ElementsAre(Pair("A", "1")));
}

TEST(SetByHand, MpichReadsAliasesOfAVariable) {
  const std::vector<Setting> settings = {{"MPIR_CVAR_BCAST_INTRA_ALGORITHM", "binomial"}};
  for (const char* alias : {"MPIR_CVAR_BCAST_INTRA_ALGORITHM", "MPIR_PARAM_BCAST_INTRA_ALGORITHM",
                            "MPICH_BCAST_INTRA_ALGORITHM", "MVP_BCAST_INTRA_ALGORITHM"}) {
    EXPECT_EQ(SetByHand(settings, SettingsFrom({{alias, "auto"}})), alias);
    EXPECT_EQ(SetByHand(settings, SettingsFrom({{alias, "auto"},
                                                {"COX_SET", "MPIR_CVAR_BCAST_INTRA_ALGORITHM"}})),
              alias == settings[0].first ? "" : alias);
  }
  EXPECT_EQ(SetByHand(settings, SettingsFrom({{"MPICH_REDUCE_INTRA_ALGORITHM", "binomial"}})), "");
  // Cray's own variables have no other names.
  EXPECT_EQ(
      SetByHand({{"MPICH_BCAST_NO_SMP", "1"}}, SettingsFrom({{"MPIR_CVAR_BCAST_NO_SMP", "1"}})),
      "");
}

TEST(SetByHand, AForcedAlgorithmIsTunedByHandToo) {
  const std::vector<Setting> rules = {{"OMPI_MCA_coll_tuned_dynamic_rules_filename", "f"}};
  EXPECT_EQ(SetByHand(rules, SettingsFrom({{"OMPI_MCA_coll_tuned_bcast_algorithm", "2"}})),
            "OMPI_MCA_coll_tuned_bcast_algorithm");
  EXPECT_EQ(SetByHand({{"MPIR_CVAR_BCAST_INTRA_ALGORITHM", "nb"}},
                      SettingsFrom({{"OMPI_MCA_coll_tuned_bcast_algorithm", "2"}})),
            "");
}

TEST(NamedByLauncher, LooksAtTheLaunchersWordsOnly) {
  const std::vector<Setting> open_mpi = {{"OMPI_MCA_coll_tuned_use_dynamic_rules", "1"}};
  const std::vector<Setting> mpich = {{"MPIR_CVAR_BCAST_INTRA_ALGORITHM", "nb"}};
  const auto named = [](const std::vector<Setting>& settings,
                        const std::vector<std::string>& command) {
    return NamedByLauncher(settings, command, *ReadLauncherWords(command));
  };
  EXPECT_EQ(named(open_mpi, {"mpirun", "--mca", "coll_tuned_bcast_algorithm", "6", "-n", "2", "a"}),
            "coll_tuned_bcast_algorithm");
  EXPECT_EQ(
      named(open_mpi, {"mpirun", "-x", "OMPI_MCA_coll_tuned_bcast_algorithm=6", "-n", "2", "a"}),
      "OMPI_MCA_coll_tuned_bcast_algorithm=6");
  EXPECT_EQ(named(open_mpi, {"mpirun", "-n", "2", "a", "coll_tuned_bcast_algorithm"}), "");
  EXPECT_EQ(named(open_mpi, {"mpirun", "--mca", "btl", "self", "-n", "2", "a"}), "");
  EXPECT_EQ(named(mpich, {"mpiexec.hydra", "-genv", "MPIR_CVAR_BCAST_INTRA_ALGORITHM", "nb", "-n",
                          "2", "a"}),
            "MPIR_CVAR_BCAST_INTRA_ALGORITHM");
}

TEST(Combine, TheAgentComesFirstAndOthersStay) {
  const RunSettings settings =
      Combine({}, "/lib/libcoxagent-mpich.so", "m", "host:1", "",
              SettingsFrom({{"LD_PRELOAD", "/other.so:/old/libcoxagent-openmpi.so /third.so"}}));
  EXPECT_THAT(settings.set,
              UnorderedElementsAre(
                  Pair("COX_MACHINE", "m"), Pair("COX_SERVER", "host:1"),
                  Pair("COX_SET", HookSet({{"COX_MACHINE", "m"}, {"COX_SERVER", "host:1"}})),
                  Pair("LD_PRELOAD", "/lib/libcoxagent-mpich.so:/other.so:/third.so")));
  EXPECT_THAT(settings.unset, IsEmpty());
}

TEST(Combine, TheAgentTrustsTheSameUserAsCox) {
  const RunSettings settings =
      Combine({}, "/lib/libcoxagent-mpich.so", "m", "unix:/s", "head", SettingsFrom({}));
  EXPECT_THAT(settings.set, Contains(Pair("COX_SERVER_USER", "head")));
}

TEST(Combine, WhatTheUserHasSetAlikeIsNotOursToUnset) {
  const RunSettings settings = Combine({}, "/lib/libcoxagent-mpich.so", "m", "host:1", "",
                                       SettingsFrom({{"COX_MACHINE", "m"}}));
  EXPECT_THAT(settings.set, Contains(Pair("COX_SET", HookSet({{"COX_SERVER", "host:1"}}))));
}

TEST(Combine, WhatAnEarlierHookHasSetGoes) {
  const RunSettings settings = Combine({{"A", "1"}}, "", "m", "s", "",
                                       SettingsFrom({{"COX_SET", "A,B"},
                                                     {"A", "0"},
                                                     {"B", "0"},
                                                     {"LD_PRELOAD", "/x/libcoxagent-openmpi.so"}}));
  EXPECT_THAT(settings.set,
              UnorderedElementsAre(Pair("A", "1"), Pair("COX_SET", HookSet({{"A", "1"}}))));
  EXPECT_THAT(settings.unset, UnorderedElementsAre("B", "LD_PRELOAD"));
}

TEST(Combine, NothingIsSetForNothing) {
  const RunSettings settings =
      Combine({}, "", "m", "s", "", SettingsFrom({{"LD_PRELOAD", "/other.so"}}));
  EXPECT_THAT(settings.set, IsEmpty());
  EXPECT_THAT(settings.unset, IsEmpty());
}

TEST(WithForwarding, OnlyWhatOpenMpiDoesNotForwardByItself) {
  const RunSettings settings = {
      {{"OMPI_MCA_a", "1"}, {"COX_MACHINE", "m"}, {"LD_PRELOAD", "/a.so"}}, {}, false};
  LauncherWords words;
  words.kind = LauncherKind::kOpenMpi;
  EXPECT_THAT(WithForwarding({"mpirun", "app"}, words, settings, {{"COX_SPOOL", "/s"}}),
              ElementsAre("mpirun", "-x", "COX_MACHINE", "-x", "LD_PRELOAD", "app"));
  EXPECT_THAT(WithForwarding({"mpirun", "-x", "LD_PRELOAD=/b.so", "app"}, words, settings, {}),
              ElementsAre("mpirun", "-x", "COX_MACHINE", "-x", "LD_PRELOAD=/b.so", "app"));
  words.kind = LauncherKind::kHydra;
  EXPECT_THAT(WithForwarding({"mpirun", "app"}, words, settings, {}), ElementsAre("mpirun", "app"));
}

TEST(WithForwarding, WithTheAgentWhatItReadsFromTheUsersEnvironment) {
  // As Combine() leaves it where the user has set server and agent alike.
  const RunSettings settings = Combine({}, "/libcoxagent-openmpi.so", "m", "host:1", "",
                                       SettingsFrom({{"COX_SERVER", "host:1"},
                                                     {"COX_SET", "COX_SYNC"},
                                                     {"LD_PRELOAD", "/libcoxagent-openmpi.so"}}));
  LauncherWords words;
  words.kind = LauncherKind::kOpenMpi;
  const std::map<std::string, std::string> environment = {
      {"COX_JOB_CREDENTIAL", "/run/coxswain-jobs/1.4294967291.0"},
      {"COX_JOB", "i"},
      {"COX_SERVER", "host:1"},
      {"COX_SET", "COX_SYNC"},
      {"COX_SPOOL", "/s"},
      {"COX_SYNC", "1"},
      {"LD_PRELOAD", "/libcoxagent-openmpi.so"},
      {"NO_COX", "1"},
      {"OMPI_MCA_a", "1"},
      {"PATH", "/bin"}};
  EXPECT_THAT(WithForwarding({"mpirun", "-x", "COX_JOB=j", "app"}, words, settings, environment),
              ElementsAre("mpirun", "-x", "COX_MACHINE", "-x", "COX_SET", "-x", "COX_SERVER", "-x",
                          "COX_SPOOL", "-x", "LD_PRELOAD", "-x", "COX_JOB=j", "app"));
  words.kind = LauncherKind::kHydra;
  EXPECT_THAT(WithForwarding({"mpirun", "app"}, words, settings, environment),
              ElementsAre("mpirun", "app"));
}

TEST(NeededLibraries, OfThisProgramAndOfWhatIsNone) {
  EXPECT_THAT(NeededLibraries("/proc/self/exe"), Contains(::testing::StartsWith("libc.so")));
  const Folder folder;
  EXPECT_THAT(NeededLibraries(folder.Path("absent")), IsEmpty());
  EXPECT_THAT(NeededLibraries(folder.Write("script", "#!/bin/sh\n")), IsEmpty());
  EXPECT_THAT(NeededLibraries(folder.Write("empty", "")), IsEmpty());
  // The header of this program, and nothing behind it.
  std::ifstream self("/proc/self/exe", std::ios::binary);
  std::string header(64, '\0');
  self.read(header.data(), static_cast<std::streamsize>(header.size()));
  EXPECT_THAT(NeededLibraries(folder.Write("cut", header)), IsEmpty());
}

TEST(WhereTimingsStay, NamesTheAgentsFile) {
  EXPECT_THAT(WhereTimingsStay(SettingsFrom({}), 7),
              ::testing::AllOf(::testing::HasSubstr(" /tmp/coxswain-7-JOB-NODE.csv "),
                               ::testing::HasSubstr("`cox observations import --from-jobs FILE`")));
  EXPECT_THAT(WhereTimingsStay(SettingsFrom({{"TMPDIR", "/scratch"}}), 7),
              ::testing::HasSubstr(" /scratch/coxswain-7-JOB-NODE.csv "));
  EXPECT_THAT(WhereTimingsStay(SettingsFrom({{"COX_SPOOL", "/s.csv"}, {"TMPDIR", "/t"}}), 7),
              ::testing::HasSubstr(" in /s.csv on "));
}

TEST(WarnOfOtherMpi, NamesTheLauncherAndTheLibraryThatDoNotFit) {
  LauncherWords open_mpi;
  open_mpi.kind = LauncherKind::kOpenMpi;
  LauncherWords hydra;
  hydra.kind = LauncherKind::kHydra;
  const std::vector<std::string> command = {"mpirun", "-n", "2", "app"};
  EXPECT_THAT(WarnOfOtherMpi("mpich-4.0", command, open_mpi),
              ::testing::HasSubstr(
                  "mpirun starts jobs of Open MPI, which ignore settings of mpich-4.0: cox "
                  "sets none and loads no agent"));
  EXPECT_THAT(WarnOfOtherMpi("intelmpi-2019", command, open_mpi),
              ::testing::HasSubstr("of Open MPI"));
  EXPECT_THAT(WarnOfOtherMpi("openmpi-4.1", command, hydra), ::testing::HasSubstr("jobs of MPICH"));
  EXPECT_EQ(WarnOfOtherMpi("openmpi-5.0", command, open_mpi), "");
  EXPECT_EQ(WarnOfOtherMpi("mvapich-3.0", command, hydra), "");
  EXPECT_EQ(WarnOfOtherMpi("nccl-2", command, open_mpi), "");
  EXPECT_EQ(WarnOfOtherMpi("mpich-4.0", {"srun"}, LauncherWords()), "");
  EXPECT_EQ(WarnOfOtherMpi("mpich-4.0", {}, open_mpi), "");
}

TEST(LibraryOfCommand, TheLauncherSaysItAtOnce) {
  LauncherWords words;
  words.kind = LauncherKind::kOpenMpi;
  EXPECT_EQ(LibraryOfCommand({"mpirun"}, words), "openmpi-4.1");
  words.kind = LauncherKind::kHydra;
  EXPECT_EQ(LibraryOfCommand({"mpirun"}, words), "mpich-4.0");
  EXPECT_EQ(LibraryOfCommand({"sh"}, LauncherWords()), "");
  EXPECT_EQ(LibraryOfCommand({}, LauncherWords()), "");
}

TEST(MpiOfLibrary, HasAnAgent) {
  EXPECT_EQ(MpiOfLibrary("openmpi-5.0"), "openmpi");
  EXPECT_EQ(MpiOfLibrary("mpich-4.0"), "mpich");
  EXPECT_EQ(MpiOfLibrary("nccl"), "");
}

}  // namespace
}  // namespace cox::cli
