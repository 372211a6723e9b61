// What a hostile daemon may not have a job do, text by text and through whole command lines.
#include "cli/run/daemon_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/app.h"
#include "cli/exit_code.h"
#include "domain/collective.h"
#include "fake_daemon.h"
#include "files/file_io.h"
#include "library/libraries.h"
#include "library/shell_exports.h"
#include "library/tuning_format.h"

namespace cox::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

struct HostileText {
  const char* library;
  const char* form;
  std::string text;
};

std::vector<HostileText> HostileTexts() {
  const std::string forced = "export OMPI_MCA_coll_tuned_use_dynamic_rules=1\n";
  return {
      {"openmpi-4.1", "env", "export OMPI_MCA_mca_base_component_path=/tmp/evil\n"},
      {"openmpi-4.1", "env", forced + "export OMPI_MCA_mca_base_component_path=/tmp/evil\n"},
      {"openmpi-4.1", "env", "export OMPI_MCA_coll_tuned_dynamic_rules_filename=/tmp/evil\n"},
      {"openmpi-4.1", "env", forced + "export OMPI_MCA_coll_tuned_bcast_algorithm=999\n"},
      {"openmpi-4.1", "env", "export LD_PRELOAD=/tmp/evil.so\n"},
      {"openmpi-4.1", "env", forced + "touch /tmp/evil\n"},
      {"openmpi-4.1", "env", "export OMPI_MCA_coll_tuned_use_dynamic_rules=$(touch /tmp/evil)\n"},
      {"openmpi-5.0", "env", "export OMPI_MCA_coll_han_priority=99\n"},
      {"mpich-4.0", "env", "export MPIR_CVAR_DEBUG_HOLD=1\n"},
      {"mpich-4.0", "env", "export MPIR_CVAR_BCAST_INTRA_ALGORITHM=nonsense\n"},
      {"mpich-4.0", "env", "export MPICH_ASYNC_PROGRESS=1\n"},
      {"mpich-4.0", "env", "export MPIR_CVAR_IBCAST_INTRA_ALGORITHM=sched_binomial\n"},
      {"mvapich-3.0", "env", "export MVP_DEBUG=1\n"},
      {"intelmpi-2019", "env", "export I_MPI_ADJUST_BCAST='1:0-9;LD'\n"},
      {"intelmpi-2019", "env", "export I_MPI_EXTRA_FILESYSTEM=1\n"},
      {"cray-mpich-8.1", "env", "export MPICH_ALLREDUCE_NO_SMP=0\n"},
      {"ucc-1", "env", "export UCC_TL_UCP_TUNE=nonsense\n"},
      {"ucc-1", "env", "export UCC_COMPONENT_PATH=/tmp/evil\n"},
      {"openmpi-4.1", "rules", "1\n7\n1\n4 1\n0 999 0 0\n"},
      {"openmpi-4.1", "rules", "\xff\xfe\x01 binary \x02"},
      {"openmpi-4.1", "rules", std::string(kMaxTextBytes + 1, '#')},
      {"openmpi-4.1", "rules", "# \x1b]0;title\x07\n"},
      {"openmpi-4.1", "rules",
       "# \xc2\x9b"
       "31m\n"},
      {"mpich-4.0", "json", R"({"collective=bcast":{"algorithm=)"},
      {"mpich-4.0", "json", std::string("{}\0", 3)},
      {"no-such-library", "file", "text"},
  };
}

TEST(DaemonTextTest, HostileTextsAreRefused) {
  for (const HostileText& hostile : HostileTexts()) {
    const absl::Status status = CheckDaemonText(hostile.library, hostile.form, hostile.text, {});
    EXPECT_FALSE(status.ok()) << hostile.library << ": " << hostile.text.substr(0, 100);
    EXPECT_THAT(std::string(status.message()), HasSubstr("refused"));
  }
}

// Every form, with tables of every collective and algorithm that it has.
TEST(DaemonTextTest, WhatTheWritersWriteIsTaken) {
  int taken = 0;
  for (const library::TuningFormat& format : library::TuningFormats()) {
    library::TunedJob job;
    job.library = std::string(format.library);
    job.nodes = 2;
    job.ppn = 4;
    job.assume = {.commutative = true, .elements_at_least_ranks = true};
    for (const library::Algorithm& algorithm : library::FindLibrary(format.library)->algorithms()) {
      library::DecisionTable table;
      table.collective = std::string(domain::CollectiveName(algorithm.collective));
      library::DecisionRow row;
      row.algorithm = std::string(algorithm.native_name);
      row.native_id = algorithm.native_id;
      row.segment_bytes = 4096;
      row.fanout = 2;
      table.rows.push_back(row);
      const std::vector<library::DecisionTable> tables = {table};
      const std::vector<std::string> header = {"machine m, revision 3"};
      const auto text = library::WriteTuning(tables, job, format, header);
      if (!text.ok()) continue;
      const absl::Status status = CheckDaemonText(format.library, format.name, *text, job.assume);
      EXPECT_TRUE(status.ok()) << status << "\n" << *text;
      ++taken;
    }
  }
  EXPECT_GT(taken, 50);
}

// Sound texts with a few bytes changed: never a crash, and no variable but those that are written.
TEST(DaemonTextTest, ChangedTextsSetNothingElse) {
  library::DecisionTable table;
  table.collective = "allreduce";
  library::DecisionRow row;
  row.algorithm = "recursive_doubling";
  row.native_id = 3;
  table.rows = {row};
  const std::vector<library::DecisionTable> tables = {table};
  std::mt19937 random(20261122);
  for (const library::TuningFormat& format : library::TuningFormats()) {
    library::TunedJob job;
    job.library = std::string(format.library);
    job.ppn = 4;
    const auto text = library::WriteTuning(tables, job, format, {});
    if (!text.ok() || text->empty()) continue;
    for (int i = 0; i < 2000; ++i) {
      std::string changed = *text;
      for (uint32_t left = 1 + random() % 4; left > 0 && !changed.empty(); --left) {
        const size_t at = random() % changed.size();
        switch (random() % 3) {
          case 0:
            changed[at] = static_cast<char>(random() % 256);
            break;
          case 1:
            changed.erase(at, 1 + random() % 8);
            break;
          default:
            changed.insert(at, changed.substr(random() % changed.size(), random() % 32));
        }
      }
      if (!CheckDaemonText(format.library, format.name, changed, {}).ok()) continue;
      if (format.name != "env") continue;
      for (const library::ShellExport& setting : library::ReadShellExports(changed).exports) {
        EXPECT_TRUE(IsWrittenSetting(format.library, setting.name, setting.value)) << changed;
      }
    }
  }
}

struct TextOutcome {
  int exit_code;
  std::string out;
  std::string err;
};

class HostileDaemonTest : public ::testing::Test {
 protected:
  HostileDaemonTest() { setenv("XDG_CACHE_HOME", daemon_.folder().Path("cache").c_str(), 1); }
  ~HostileDaemonTest() override { unsetenv("XDG_CACHE_HOME"); }

  void Say(const std::string& text) {
    daemon_.tuning.Clear();
    daemon_.tuning.set_text(text);
    daemon_.tuning.set_etag(absl::StrCat("e", ++etag_));
    v1::TuningRow* row = daemon_.tuning.add_rows();
    row->set_collective("bcast");
    row->set_algorithm("binomial\x1b[31m");
  }

  TextOutcome Cox(std::vector<const char*> words) {
    const std::string address = daemon_.address();
    words.insert(words.begin(), {"cox", "--server", address.c_str()});
    std::ostringstream out;
    std::ostringstream err;
    const int exit_code = cli::Run(static_cast<int>(words.size()), words.data(), out, err);
    return {exit_code, out.str(), err.str()};
  }

  // The library reads a file where `nodes` is 1 and it can.
  TextOutcome RunJob(const char* library) {
    return Cox({"run", "--print", "--machine", "m", "--library", library, "--nodes", "1", "--ppn",
                "4", "--limit", "5000"});
  }

  FakeDaemon daemon_;
  int etag_ = 0;
};

TEST_F(HostileDaemonTest, ARefusedTextLeavesTheJobUnchangedAndSaysWhy) {
  for (const HostileText& hostile : HostileTexts()) {
    if (std::string(hostile.library) == "no-such-library") continue;
    // Protobuf itself refuses text that is not UTF-8.
    if (hostile.text.find('\xff') != std::string::npos) continue;
    Say(hostile.text);
    const TextOutcome outcome = RunJob(hostile.library);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(outcome.out, IsEmpty());
    EXPECT_THAT(outcome.err, HasSubstr("refused")) << hostile.text.substr(0, 100);
    EXPECT_THAT(outcome.err, Not(HasSubstr("\x1b")));
    const TextOutcome tune = Cox({"tune", "-m", "m", "--nodes", "1", "--library", hostile.library,
                                  "--format", hostile.form});
    EXPECT_EQ(tune.exit_code, kExitRefused) << tune.err;
    EXPECT_THAT(tune.out, IsEmpty());
  }
}

TEST_F(HostileDaemonTest, ARefusedTextIsNotKeptForLater) {
  Say("export MPIR_CVAR_DEBUG_HOLD=1\n");
  RunJob("mpich-4.0");
  Say("export MPIR_CVAR_BCAST_INTRA_ALGORITHM=binomial\n");
  EXPECT_THAT(RunJob("mpich-4.0").out,
              HasSubstr("export MPIR_CVAR_BCAST_INTRA_ALGORITHM=binomial\n"));
  // "Not modified" would return the cached text, which is sound.
  daemon_.tuning.Clear();
  daemon_.tuning.set_not_modified(true);
  EXPECT_THAT(RunJob("mpich-4.0").out,
              HasSubstr("export MPIR_CVAR_BCAST_INTRA_ALGORITHM=binomial\n"));
}

TEST_F(HostileDaemonTest, AFileThatSomebodyHasChangedIsWrittenAnew) {
  library::DecisionTable table;
  table.collective = "bcast";
  library::DecisionRow row;
  row.algorithm = "binomial";
  row.native_id = 6;
  table.rows = {row};
  const std::vector<library::DecisionTable> tables = {table};
  library::TunedJob job;
  job.library = "openmpi-4.1";
  job.ppn = 4;
  const auto format = library::FindTuningFormat("openmpi-4.1", "rules");
  const auto text = library::WriteTuning(tables, job, **format, {});
  ASSERT_TRUE(text.ok()) << text.status();
  Say(*text);
  EXPECT_THAT(RunJob("openmpi-4.1").out, HasSubstr("dynamic_rules_filename="));
  std::vector<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(daemon_.folder().Path("cache"))) {
    if (entry.path().extension() == ".conf") files.push_back(entry.path());
  }
  ASSERT_EQ(files.size(), 1U);
  std::ofstream(files[0]) << std::string(text->size(), '9');
  const TextOutcome outcome = RunJob("openmpi-4.1");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, HasSubstr("dynamic_rules_filename="));
  EXPECT_EQ(*ReadFile(files[0]), *text);
}

}  // namespace
}  // namespace cox::cli
