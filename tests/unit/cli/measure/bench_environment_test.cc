#include "cli/measure/bench_environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "cli/run/daemon_text.h"

namespace cox::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;
using Variables = std::map<std::string, std::string>;

TEST(WithoutHooks, NothingOfTheSurroundingJobIsLeft) {
  const EnvironmentChange change =
      WithoutHooks({{"COX_SET", "OMPI_MCA_coll_tuned_use_dynamic_rules,COX_SERVER"},
                    {"OMPI_MCA_coll_tuned_use_dynamic_rules", "1"},
                    {"COX_SERVER", "host:1"},
                    {"COX_MODE", "tune"},
                    {"LD_PRELOAD", "/lib/libcoxagent-openmpi.so:/other.so"},
                    {"SLURM_SPANK__SLURM_SPANK_OPTION_cox_cox", "tune"},
                    {"_SLURM_SPANK_OPTION_cox_cox_canary", "5%"},
                    {"PATH", "/bin"}});
  EXPECT_THAT(change.set,
              UnorderedElementsAre(Pair("COX_MODE", "off"), Pair("LD_PRELOAD", "/other.so")));
  EXPECT_THAT(change.without,
              UnorderedElementsAre("COX_SET", "OMPI_MCA_coll_tuned_use_dynamic_rules", "COX_SERVER",
                                   "SLURM_SPANK__SLURM_SPANK_OPTION_cox_cox",
                                   "_SLURM_SPANK_OPTION_cox_cox_canary"));
}

TEST(CheckUntuned, NamesWhatIsSetByHand) {
  const Variables forced = {{"OMPI_MCA_coll_tuned_bcast_algorithm", "6"}};
  const absl::Status refused = CheckUntuned("openmpi", {"mpirun"}, forced);
  EXPECT_EQ(refused.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(refused.message(), HasSubstr("variable OMPI_MCA_coll_tuned_bcast_algorithm tunes"));
  EXPECT_THAT(refused.message(), HasSubstr("unset it first"));
  EXPECT_TRUE(CheckUntuned("mpich", {"mpirun"}, forced).ok());
}

TEST(CheckUntuned, AHooksSettingGoesByItself) {
  EXPECT_TRUE(CheckUntuned("mpich", {"mpirun"},
                           {{"MPIR_CVAR_BCAST_INTRA_ALGORITHM", "nb"},
                            {"COX_SET", "MPIR_CVAR_BCAST_INTRA_ALGORITHM"}})
                  .ok());
}

TEST(CheckUntuned, LooksAtTheLaunchersWords) {
  for (const char* word : {"coll_tuned_bcast_algorithm", "OMPI_MCA_coll_tuned_bcast_algorithm=6",
                           "--cox=tune", "coll_tuned_dynamic_rules_filename"}) {
    EXPECT_THAT(CheckUntuned("openmpi", {"mpirun", "--mca", word, "6"}, {}).message(),
                HasSubstr(std::string("word ") + word));
  }
  EXPECT_TRUE(CheckUntuned("openmpi", {"srun", "--cox=off", "--mca", "btl", "self"}, {}).ok());
}

TEST(SetsAlgorithms, UnderAnyNameThatTheLibraryReads) {
  for (const char* name :
       {"OMPI_MCA_coll_tuned_use_dynamic_rules", "OMPI_MCA_coll_tuned_dynamic_rules_filename",
        "OMPI_MCA_coll_tuned_alltoall_algorithm_segmentsize", "UCC_TL_UCP_TUNE"}) {
    EXPECT_TRUE(SetsAlgorithms("openmpi", name)) << name;
    EXPECT_FALSE(SetsAlgorithms("mpich", name)) << name;
  }
  for (const char* name :
       {"MPIR_CVAR_BCAST_INTRA_ALGORITHM", "MPIR_PARAM_BCAST_INTRA_ALGORITHM",
        "MPICH_BCAST_INTRA_ALGORITHM", "MVP_BCAST_INTRA_ALGORITHM", "I_MPI_ADJUST_BCAST",
        "MPICH_BCAST_NO_SMP", "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE",
        "MPICH_COLL_SELECTION_TUNING_JSON_FILE"}) {
    EXPECT_TRUE(SetsAlgorithms("mpich", name)) << name;
    EXPECT_FALSE(SetsAlgorithms("openmpi", name)) << name;
  }
  for (const char* name : {"MPIR_CVAR_CH3_INTERFACE_HOSTNAME", "OMPI_MCA_btl", "PATH", ""}) {
    EXPECT_FALSE(SetsAlgorithms("mpich", name)) << name;
    EXPECT_FALSE(SetsAlgorithms("openmpi", name)) << name;
  }
}

}  // namespace
}  // namespace cox::cli
