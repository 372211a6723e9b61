// Whole command lines: usage errors, and errors of the daemon.
#include "cli/app.h"

#include <gmock/gmock.h>
#include <google/rpc/error_details.pb.h>
#include <google/rpc/status.pb.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "cli/exit_code.h"
#include "fake_daemon.h"

namespace cox::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

struct Outcome {
  int exit_code;
  std::string out;
  std::string err;
};

Outcome Cox(std::vector<const char*> words) {
  words.insert(words.begin(), "cox");
  std::ostringstream out;
  std::ostringstream err;
  const int exit_code = Run(static_cast<int>(words.size()), words.data(), out, err);
  return {exit_code, out.str(), err.str()};
}

constexpr char kHeader[] =
    "machine,library,collective,algorithm,nodes,ppn,ranks,block_bytes,time_s\n";

std::string Rows(const std::string& machine, int count) {
  std::string rows;
  for (int i = 0; i < count; ++i) {
    absl::StrAppend(&rows, machine, ",openmpi-4.1,bcast,chain,1,2,2,", i, ",1e-6\n");
  }
  return rows;
}

TEST(AppTest, UsageErrorsAreOneLineThatNamesTheVerb) {
  const std::vector<std::vector<const char*>> wrong = {
      {"no-such-verb"},
      {"machine"},
      {"machine", "show"},
      {"machine", "show", "Not A Name"},
      {"profile", "pin", "m"},
      {"profile", "show", "m@x"},
      {"--timeout", "-1", "models"},
      {"--timeout", "soon", "models"},
      {"predict", "-m", "m", "-c", "bcast", "-p", "2"},
      {"predict", "-m", "m", "-c", "bcast", "-p", "0", "-b", "1"},
      {"predict", "-m", "m", "-c", "bcast", "-p", "2", "-b", "-1"},
      {"predict", "-m", "m", "-c", "bcast", "-p", "2", "-b", "1", "--placement", "random"},
      {"predict", "-m", "m", "-c", "bcast", "-p", "2", "-b", "1", "--what-if", "alpha"},
      {"explain", "-m", "m", "-c", "bcast", "-p", "2"},
      {"explain", "-m", "m", "-c", "bcast", "-p", "2", "-b", "1,2"},
      {"pattern", "-m", "m"},
      {"pattern", "--file", "f"},
      {"pattern", "-m", "m", "--file", "f", "--pattern", "transpose"},
      {"pattern", "-m", "m", "--file", "f", "-b", "1"},
      {"pattern", "-m", "m", "--pattern", "transpose", "-p", "4"},
      {"pattern", "-m", "m", "--pattern", "transpose", "-b", "4"},
      {"pattern", "-m", "m", "--pattern", "transpose", "-p", "4", "-b", "8", "--node-list", "a",
       "--node-list", "b"},
      {"kernel", "-m", "m", "--kernel", "apsp-1", "-n", "64"},
      {"kernel", "-m", "m", "--kernel", "apsp-1", "-p", "64"},
      {"kernel", "-m", "m", "-n", "64", "-p", "64"},
      {"kernel", "-m", "m", "--kernel", "apsp-1", "-n", "0", "-p", "64"},
      {"reduce"},
      {"recommend", "-c", "bcast", "-p", "2", "-b", "1"},
      {"tune", "-m", "m", "--nodes", "0", "--library", "openmpi-4.1"},
      {"tune", "-m", "m", "--nodes", "1", "--library", "l", "--format", "xml"},
      {"tune", "-m", "m", "--nodes", "1", "--library", "l", "--idle-switches"},
      {"tune", "-m", "m", "--nodes", "1", "--library", "l", "--node-list", "a", "--node-list", "b"},
      {"tune", "--check", "f", "--library", "l", "--node-list", "a"},
      {"calibrate", "m", "--quick", "--from", "f"},
      {"calibrate", "m", "--skip-bad"},
      {"calibrate", "m", "--ranks", "1"},
      {"calibrate", "m", "--mpi", "lam"},
      {"calibrate", "m", "--budget", "10"},
      {"calibrate", "m", "--budget", "0s"},
      {"calibrate", "m", "--budget", "5m", "--from", "f"},
      {"observations", "forget"},
      {"store"},
      {"store", "restore"},
      {"store", "restore", "backup.db"},
      {"store", "check", "everything"},
      {"observations", "list", "--limit", "-1"},
      {},
  };
  for (const auto& words : wrong) {
    const Outcome outcome = Cox(words);
    EXPECT_EQ(outcome.exit_code, kExitUsage) << outcome.err;
    EXPECT_THAT(outcome.out, IsEmpty());
    EXPECT_THAT(outcome.err, StartsWith("cox: "));
    EXPECT_THAT(outcome.err, HasSubstr("--help`"));
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  }
}

TEST(AppTest, AnUnknownWordIsNamedWithTheNearestOne) {
  struct Slip {
    std::vector<const char*> words;
    const char* said;
  };
  const std::vector<Slip> slips = {
      {{"predct", "-m", "m"}, "there is no verb \"predct\" (did you mean predict?)"},
      {{"machine", "shwo"}, "there is no verb \"shwo\" (did you mean show?)"},
      {{"machine", "ls"},
       "the verbs are list, show, import, export, delete, undelete, switches; see `cox "},
      {{"machine"}, "needs one of the verbs list, show, import, export, delete"},
      // Names the first of several errors: a missing option, then an unknown word.
      {{"predict", "--machin", "m", "--colective", "bcast"},
       "there is no option --machin (did you mean --machine?); see `cox predict --help`"},
      {{"tune", "--timeot=3"}, "there is no option --timeot (did you mean --timeout?)"},
      {{"models", "extra", "words"}, "\"extra\" is one argument too many"},
      {{"help", "predct"}, "did you mean predict?"},
      {{"zzzzzzzz"}, "there is no verb \"zzzzzzzz\"; see `cox --help`"},
  };
  for (const Slip& slip : slips) {
    const Outcome outcome = Cox(slip.words);
    EXPECT_EQ(outcome.exit_code, kExitUsage);
    EXPECT_THAT(outcome.err, HasSubstr(slip.said));
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  }
}

TEST(AppTest, WithJsonAnErrorIsADocumentOnStdout) {
  const Outcome usage =
      Cox({"predict", "--json", "-m", "m", "-c", "bcast", "-p", "2", "-b", "1", "--csv", "-"});
  EXPECT_EQ(usage.exit_code, kExitUsage);
  EXPECT_THAT(usage.out, StartsWith(R"({"error":{"code":"INVALID_ARGUMENT","exit_code":2,)"));
  EXPECT_THAT(usage.err, HasSubstr("both write to standard output; see `cox predict --help`"));
  const Outcome away = Cox({"--server", "unix:/no/such/socket", "--json", "models"});
  EXPECT_EQ(away.exit_code, kExitUnavailable);
  EXPECT_THAT(away.out, StartsWith(R"({"error":{"code":"UNAVAILABLE","exit_code":4,)"));
  EXPECT_EQ(std::count(away.out.begin(), away.out.end(), '\n'), 1) << away.out;
  const Outcome no_verb = Cox({"--json"});
  EXPECT_EQ(no_verb.exit_code, kExitUsage);
  EXPECT_THAT(no_verb.out, StartsWith(R"({"error":{"code":"INVALID_ARGUMENT","exit_code":2,)"));
  // The verb's own output says what is wrong.
  const Outcome doctor = Cox({"--server", "unix:/no/such/socket", "--json", "doctor"});
  EXPECT_THAT(doctor.out, Not(HasSubstr("\"error\"")));
}

TEST(AppTest, RanksAreNotSizes) {
  const Outcome outcome = Cox({"predict", "-m", "m", "-c", "bcast", "-p", "many", "-b", "1"});
  EXPECT_EQ(outcome.exit_code, kExitUsage);
  EXPECT_THAT(outcome.err, HasSubstr("'many' is not a number"));
  EXPECT_THAT(outcome.err, Not(HasSubstr("bytes")));
}

TEST(AppTest, AWrongValueBeforeACommandIsNamed) {
  const Outcome outcome = Cox({"run", "--mode", "fast", "--", "true"});
  EXPECT_EQ(outcome.exit_code, kExitUsage);
  EXPECT_THAT(outcome.err, HasSubstr("--mode: fast not in"));
}

TEST(AppTest, AnUnknownLibraryIsNotFound) {
  const Folder folder;
  const std::string rules = folder.Write("rules", "1\n");
  EXPECT_EQ(Cox({"tune", "--check", rules.c_str(), "--library", "foo"}).exit_code, kExitNotFound);
  EXPECT_EQ(Cox({"doctor", "--library", "foo"}).exit_code, kExitNotFound);
}

TEST(AppTest, HelpIsAVerbToo) {
  EXPECT_EQ(Cox({"help"}).out, Cox({"--help"}).out);
  EXPECT_EQ(Cox({"help", "machine", "import"}).out, Cox({"machine", "import", "--help"}).out);
  EXPECT_EQ(Cox({"version"}).out, Cox({"--version"}).out);
}

TEST(AppTest, AVerbsHelpHasTheOptionsOfAllVerbs) {
  const std::vector<std::vector<const char*>> asked = {{"tune", "--help"},
                                                       {"machine", "import", "--help"}};
  for (const std::vector<const char*>& words : asked) {
    const std::string help = Cox(words).out;
    for (const char* option : {"--server", "--json", "--timeout"}) {
      EXPECT_THAT(help, HasSubstr(option)) << help;
    }
  }
}

TEST(AppTest, PortsThatDoNotExistAreUsageErrors) {
  for (const char* server : {"127.0.0.1:99999", "127.0.0.1:0", "127.0.0.1:", "127.0.0.1", "h:x"}) {
    const Outcome outcome = Cox({"--server", server, "models"});
    EXPECT_EQ(outcome.exit_code, kExitUsage) << server;
    EXPECT_THAT(outcome.err, HasSubstr("must be HOST:PORT with a port within 1..65535"));
  }
  // Each address of a list is checked.
  EXPECT_THAT(Cox({"--server", "a:7077,b:65536", "models"}).err, HasSubstr("address 'b:65536'"));
  EXPECT_THAT(Cox({"--server", "a:7077,,b:7077", "models"}).err, HasSubstr("empty entry"));
  EXPECT_THAT(Cox({"--server", "a:7077,a:7077", "models"}).err, HasSubstr("twice"));
  // One in the environment must not keep a job from starting.
  setenv("COX_SERVER", "127.0.0.1:99999", 1);
  const Outcome run =
      Cox({"run", "--print", "-m", "m", "--library", "mpich-4.0", "--nodes", "1", "--ppn", "2"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("must be HOST:PORT"));
  EXPECT_EQ(Cox({"models"}).exit_code, kExitRefused);
  unsetenv("COX_SERVER");
}

TEST(AppTest, HelpAndVersionGoToStdout) {
  EXPECT_THAT(Cox({"--version"}).out, StartsWith("cox "));
  const Outcome help = Cox({"--help"});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_THAT(help.out, HasSubstr("Exit codes:"));
  EXPECT_THAT(Cox({"tune", "--help"}).out, HasSubstr("Examples:"));
}

TEST(AppTest, WithoutADaemonItSaysSoAndWhatToDo) {
  const Outcome outcome = Cox({"--server", "unix:/no/such/socket", "--timeout", "5", "models"});
  EXPECT_EQ(outcome.exit_code, kExitUnavailable);
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_THAT(outcome.err, StartsWith("cox: cannot reach coxd at unix:/no/such/socket"));
}

TEST(AppTest, DoctorFailsWithoutADaemon) {
  const Outcome outcome = Cox({"--server", "unix:/no/such/socket", "--json", "doctor"});
  EXPECT_EQ(outcome.exit_code, kExitFailed);
  EXPECT_THAT(outcome.out, HasSubstr(R"({"check":"daemon","result":"fail")"));
  EXPECT_THAT(outcome.out, HasSubstr(R"("check":"clock")"));
}

TEST(AppTest, MissingAndUnreadableFiles) {
  const Folder folder;
  const std::string missing = folder.Path("missing.csv");
  const Outcome none = Cox({"observations", "import", missing.c_str()});
  EXPECT_EQ(none.exit_code, kExitNotFound);
  EXPECT_THAT(none.err, HasSubstr("missing.csv: No such file"));
  const std::string path = folder.Path(".");
  EXPECT_EQ(Cox({"observations", "import", path.c_str()}).exit_code, kExitRefused);
  EXPECT_EQ(Cox({"machine", "import", path.c_str()}).exit_code, kExitRefused);
  EXPECT_EQ(Cox({"machine", "import", missing.c_str()}).exit_code, kExitNotFound);
  EXPECT_EQ(Cox({"recommend", "--batch", missing.c_str()}).exit_code, kExitNotFound);
  EXPECT_EQ(Cox({"calibrate", "m", "--from", missing.c_str()}).exit_code, kExitNotFound);
  const std::string nowhere = folder.Path("no-such-folder/x.csv");
  EXPECT_EQ(Cox({"observations", "export", "-o", nowhere.c_str()}).exit_code, kExitNotFound);
}

TEST(AppTest, AFailedExportLeavesTheEarlierFile) {
  const Folder folder;
  const std::string path = folder.Write("history.csv", "an earlier export\n");
  const Outcome outcome =
      Cox({"--server", "unix:/no/such/socket", "observations", "export", "-o", path.c_str()});
  EXPECT_NE(outcome.exit_code, kExitOk);
  EXPECT_EQ(folder.Read("history.csv"), "an earlier export\n");
  const std::filesystem::directory_iterator files(folder.Path(""));
  EXPECT_EQ(std::distance(files, std::filesystem::directory_iterator()), 1);
}

class FakeDaemonTest : public ::testing::Test {
 protected:
  Outcome Import(const std::string& text, std::vector<const char*> options = {}) {
    const std::string path = daemon_.folder().Write("rows.csv", text);
    std::vector<const char*> words = {"--server", daemon_.address().c_str(), "observations",
                                      "import", path.c_str()};
    words.insert(words.end(), options.begin(), options.end());
    return Cox(words);
  }

  FakeDaemon daemon_;
};

TEST_F(FakeDaemonTest, ImportsInBatchesAndAwaitsLearningOfEachMachinesLast) {
  const Outcome outcome = Import(kHeader + Rows("a", 3) + Rows("b", 12000) + Rows("c", 1));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "12004 observations stored\n");
  ASSERT_EQ(daemon_.reports.size(), 3);
  std::vector<bool> awaits;
  std::vector<int64_t> sequences;
  for (const auto& report : daemon_.reports) {
    awaits.push_back(report.await_learning());
    sequences.push_back(report.sequence());
    EXPECT_TRUE(report.create_machines());
    EXPECT_EQ(report.job(), "");
  }
  EXPECT_THAT(awaits, ElementsAre(true, false, true));
  EXPECT_THAT(sequences, ElementsAre(0, 1, 2));
}

TEST_F(FakeDaemonTest, ImportsNothingOfAFileWithABadRow) {
  const Outcome outcome = Import(kHeader + Rows("a", 2) + "a,l,bcast,chain,1,1,2,0,1e-6\n");
  EXPECT_EQ(outcome.exit_code, kExitRefused);
  EXPECT_THAT(outcome.err, HasSubstr("rows.csv:4:ranks: is 2, but nodes x ppn is 1"));
  EXPECT_THAT(outcome.err, HasSubstr("1 of 3 rows is bad and nothing was imported"));
  EXPECT_THAT(daemon_.reports, IsEmpty());
}

TEST_F(FakeDaemonTest, SkipBadListsAllAndImportsTheRest) {
  std::string text = kHeader + Rows("a", 2);
  for (int i = 0; i < 15; ++i) text += "a,l,bcast,chain,1,1,1,0,nan\n";
  const Outcome outcome = Import(text + Rows("a", 1), {"--skip-bad", "--unknown-ok"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "3 observations stored, 15 rows skipped\n");
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 15);
  ASSERT_EQ(daemon_.reports.size(), 1);
  EXPECT_TRUE(daemon_.reports[0].await_learning());
}

TEST_F(FakeDaemonTest, AnEmptyFileImportsNothing) {
  EXPECT_EQ(Import(kHeader).out, "0 observations stored\n");
  EXPECT_THAT(daemon_.reports, IsEmpty());
}

TEST_F(FakeDaemonTest, SaysHowFarAnImportCame) {
  daemon_.on_report = [](int call) {
    return call == 1 ? grpc::Status::OK : grpc::Status(grpc::StatusCode::INTERNAL, "disk full");
  };
  const Outcome outcome = Import(kHeader + Rows("a", 8000));
  EXPECT_EQ(outcome.exit_code, kExitFailed);
  EXPECT_THAT(outcome.err, HasSubstr("disk full; 5000 rows are stored"));
}

// A relay's answer while coxd is away. Importing the rows again would store them twice.
TEST_F(FakeDaemonTest, RowsThatARelayKeepsAreNotToBeImportedAgain) {
  google::rpc::ErrorInfo info;
  info.set_reason("SPOOLED");
  google::rpc::Status details;
  details.add_details()->PackFrom(info);
  const grpc::Status spooled(grpc::StatusCode::UNAVAILABLE, "kept", details.SerializeAsString());
  daemon_.on_report = [&](int call) { return call == 1 ? spooled : grpc::Status::OK; };
  const std::string rows = kHeader + Rows("a", 8000);
  const Outcome outcome = Import(rows);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "3000 observations stored, 5000 rows in the relay's spool\n");
  EXPECT_THAT(outcome.err, HasSubstr("the relay has 5000 rows"));
  EXPECT_THAT(outcome.err, HasSubstr("do not import them again"));
  EXPECT_EQ(daemon_.reports.size(), 2) << "the rest of the file is sent";
  // Also if it fails later.
  daemon_.reports.clear();
  daemon_.on_report = [&](int call) {
    return call == 1 ? spooled : grpc::Status(grpc::StatusCode::INTERNAL, "disk full");
  };
  const Outcome failed = Import(rows);
  EXPECT_EQ(failed.exit_code, kExitFailed);
  EXPECT_THAT(failed.err, HasSubstr("disk full; 5000 rows are stored or in the relay's spool"));
  EXPECT_THAT(failed.err, HasSubstr("do not import them again"));
}

TEST_F(FakeDaemonTest, TellsOfRowsThatTheDaemonRefused) {
  daemon_.refused_count = 10;
  const std::string rows = kHeader + Rows("a", 8000);
  const Outcome outcome = Import(rows);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "7980 observations stored\n");
  EXPECT_THAT(outcome.err, HasSubstr("refused 20 rows of new scenarios"));
  EXPECT_THAT(outcome.err, HasSubstr(": the machine is full. "));
  EXPECT_THAT(outcome.err, HasSubstr("`cox observations forget --job JOB`"));
  // Also if it fails later.
  daemon_.reports.clear();
  daemon_.on_report = [](int call) {
    return call == 1 ? grpc::Status::OK : grpc::Status(grpc::StatusCode::INTERNAL, "disk full");
  };
  const Outcome failed = Import(rows);
  EXPECT_EQ(failed.exit_code, kExitFailed);
  EXPECT_THAT(failed.err, HasSubstr("disk full; 4990 rows are stored"));
  EXPECT_THAT(failed.err, HasSubstr("refused 10 rows of new scenarios"));
}

TEST_F(FakeDaemonTest, WhatRanksBeganTogetherIsNotTakenForAJobsTimings) {
  std::string text =
      "machine,library,collective,algorithm,nodes,ppn,ranks,block_bytes,time_s,run\n";
  for (const char* run : {"", "synchronised", "", "synchronised", ""}) {
    text += absl::StrCat("a,l,bcast,chain,1,2,2,0,1e-6,", run, "\n");
  }
  const Outcome outcome = Import(text, {"--from-jobs"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "5 observations stored\n");
  ASSERT_EQ(daemon_.reports.size(), 2);
  const v1::ReportObservationsRequest& first = daemon_.reports[0];
  EXPECT_EQ(first.measurement(), v1::MEASUREMENT_BENCHMARK);
  EXPECT_EQ(first.observations_size(), 2);
  EXPECT_FALSE(first.await_learning());
  const v1::ReportObservationsRequest& last = daemon_.reports[1];
  EXPECT_EQ(last.measurement(), v1::MEASUREMENT_JOB);
  EXPECT_EQ(last.observations_size(), 3);
  EXPECT_TRUE(last.await_learning());
  EXPECT_NE(first.sequence(), last.sequence());
}

TEST_F(FakeDaemonTest, SendsRowsInBatchesOfOneOrigin) {
  std::string text =
      "machine,library,collective,algorithm,nodes,ppn,ranks,block_bytes,time_s,kind,job,source\n";
  for (const char* origin :
       {"job,7,ada@n1", ",,", "benchmark,7,ada@n1", "job,8,bob@n2", "job,7,ada@n1"}) {
    text += absl::StrCat("a,l,bcast,chain,1,2,2,0,1e-6,", origin, "\n");
  }
  EXPECT_EQ(Import(text).out, "5 observations stored\n");
  std::vector<std::string> origins;
  for (const auto& report : daemon_.reports) {
    origins.push_back(absl::StrCat(report.job(), " ", report.source(), " ",
                                   report.measurement() == v1::MEASUREMENT_JOB ? "job" : "bench",
                                   " ", report.observations_size()));
    // A job's own batches have small numbers.
    EXPECT_EQ(report.sequence() > 1'000'000, !report.job().empty());
    for (const auto& row : report.observations()) EXPECT_EQ(row.job() + row.source(), "");
  }
  EXPECT_THAT(origins, ElementsAre(" rows.csv bench 1", "7 ada@n1 bench 1", "8 bob@n2 job 1",
                                   "7 ada@n1 job 2"));
  EXPECT_TRUE(daemon_.reports.back().await_learning());
  EXPECT_FALSE(daemon_.reports.front().await_learning());
  // One source for all, to forget them by.
  daemon_.reports.clear();
  EXPECT_EQ(Import(text, {"--source", "mine"}).exit_code, 0);
  for (const auto& report : daemon_.reports) EXPECT_EQ(report.source(), "mine");
}

TEST_F(FakeDaemonTest, TriesAgainWhenTheDaemonSaysWhen) {
  daemon_.on_report = [](int call) {
    if (call > 2) return grpc::Status::OK;
    google::rpc::RetryInfo retry;
    retry.mutable_retry_delay()->set_nanos(1000000);
    google::rpc::Status rich;
    rich.add_details()->PackFrom(retry);
    return grpc::Status(grpc::StatusCode::RESOURCE_EXHAUSTED, "busy", rich.SerializeAsString());
  };
  const Outcome outcome = Import(kHeader + Rows("a", 1));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(daemon_.reports.size(), 3);
}

grpc::Status MachineIsFull() {
  google::rpc::ErrorInfo info;
  info.set_reason("QUOTA_EXCEEDED");
  google::rpc::RetryInfo retry;
  retry.mutable_retry_delay()->set_seconds(600);
  google::rpc::Status rich;
  rich.add_details()->PackFrom(info);
  rich.add_details()->PackFrom(retry);
  return grpc::Status(grpc::StatusCode::RESOURCE_EXHAUSTED, "full", rich.SerializeAsString());
}

// An import has ten minutes, and a full machine asks for ten minutes.
TEST_F(FakeDaemonTest, GivesUpWhenTheDaemonSaysAfterTheTimeout) {
  daemon_.on_report = [](int) { return MachineIsFull(); };
  EXPECT_EQ(Import(kHeader + Rows("a", 1)).exit_code, kExitRefused);
  EXPECT_EQ(daemon_.reports.size(), 1);
}

TEST_F(FakeDaemonTest, AMachineThatBecomesFullRefusesTheRestOfAFile) {
  daemon_.on_report = [](int call) { return call == 1 ? grpc::Status::OK : MachineIsFull(); };
  const Outcome outcome = Import(kHeader + Rows("a", 5001));
  EXPECT_EQ(outcome.exit_code, kExitRefused) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("rows are stored, the others are not"));
}

TEST_F(FakeDaemonTest, ForgettingWhatNobodyReportedIsNotFound) {
  const std::vector<const char*> forget = {
      "--server", daemon_.address().c_str(), "observations", "forget", "--source", "rows.csv"};
  const Outcome none = Cox(forget);
  EXPECT_EQ(none.exit_code, kExitNotFound);
  EXPECT_THAT(none.out, IsEmpty());
  EXPECT_GT(daemon_.forget_patience_s, 3'000) << "millions of rows take minutes";
  EXPECT_THAT(none.err, HasSubstr("no observations of source rows.csv; `cox observations list`"));
  daemon_.forgotten.set_removed_count(1);
  const Outcome one = Cox(forget);
  EXPECT_EQ(one.exit_code, kExitOk);
  EXPECT_EQ(one.out, "1 observation forgotten\n");
  // A job may have reported what it sends, and no timings.
  daemon_.forgotten.set_removed_count(0);
  daemon_.forgotten.set_removed_sketch_count(2);
  EXPECT_EQ(Cox(forget).out, "0 observations and 2 sketches forgotten\n");
}

TEST_F(FakeDaemonTest, ATuningTextsCommandIsQuotedForAShell) {
  const std::string file = daemon_.folder().Path("my $rules.txt");
  Cox({"--server", daemon_.address().c_str(), "tune", "-m", "m", "--nodes", "1", "--library",
       "openmpi-4.1", "-o", file.c_str()});
  EXPECT_EQ(daemon_.tuning_asked.command(),
            absl::StrCat("cox --server ", daemon_.address(),
                         " tune -m m --nodes 1 --library openmpi-4.1 -o '", file, "'"));
}

TEST_F(FakeDaemonTest, GivesUpWhenTheDaemonDoesNotSayWhen) {
  daemon_.on_report = [](int) {
    return grpc::Status(grpc::StatusCode::RESOURCE_EXHAUSTED, "busy");
  };
  EXPECT_EQ(Import(kHeader + Rows("a", 1)).exit_code, kExitUnavailable);
  EXPECT_EQ(daemon_.reports.size(), 1);
}

TEST_F(FakeDaemonTest, ABatchWithMissingAnswersIsAFailure) {
  daemon_.on_batch = [](const v1::BatchRecommendRequest&, v1::BatchRecommendResponse*) {
    return grpc::Status::OK;
  };
  const std::string path = daemon_.folder().Write(
      "ask.csv",
      "machine,library,collective,nodes,ppn,ranks,block_bytes,candidates\nm,l,bcast,1,2,2,8,\n");
  const Outcome outcome =
      Cox({"--server", daemon_.address().c_str(), "--json", "recommend", "--batch", path.c_str()});
  EXPECT_EQ(outcome.exit_code, kExitFailed);
  EXPECT_THAT(outcome.err, HasSubstr("answered 0 of 1 questions"));
}

TEST_F(FakeDaemonTest, ABadQuestionFailsOnlyItself) {
  daemon_.on_batch = [](const v1::BatchRecommendRequest& request,
                        v1::BatchRecommendResponse* response) {
    for (const auto& question : request.requests()) {
      auto* answer = response->add_responses();
      if (question.machine() == "x") {
        answer->set_error("there is no machine x");
      } else {
        answer->set_algorithm("chain");
      }
    }
    return grpc::Status::OK;
  };
  const std::string path =
      daemon_.folder().Write("ask.csv",
                             "machine,library,collective,nodes,ppn,ranks,block_bytes,candidates\n"
                             "m,l,bcast,1,2,2,8,\nx,l,bcast,1,2,2,8,\nm,l,bcast,1,2,2,8,\n");
  const Outcome outcome =
      Cox({"--server", daemon_.address().c_str(), "--json", "recommend", "--batch", path.c_str()});
  EXPECT_EQ(outcome.exit_code, kExitRefused);
  EXPECT_THAT(outcome.err, HasSubstr("1 of 3 questions has no answer"));
  EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 3);
  EXPECT_THAT(outcome.out, HasSubstr(R"({"algorithm":null,)"));
}

}  // namespace
}  // namespace cox::cli
