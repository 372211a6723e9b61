#include "cli/run/check_tuning.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "cli/app.h"
#include "cli/exit_code.h"
#include "folder.h"

namespace cox::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

struct CheckOutcome {
  int exit_code;
  std::string out;
  std::string err;
};

CheckOutcome Cox(std::vector<std::string> words) {
  words.insert(words.begin(), "cox");
  std::vector<const char*> pointers;
  for (const std::string& word : words) pointers.push_back(word.c_str());
  std::ostringstream out;
  std::ostringstream err;
  const int exit_code = Run(static_cast<int>(pointers.size()), pointers.data(), out, err);
  return {exit_code, out.str(), err.str()};
}

constexpr char kSound[] = "1\n3 3\n2 1\n0 0 0 0\n8 2\n0 3 0 0\n256 2 0 0\n9 1\n0 0 0 0\n";
constexpr char kVariables[] =
    "export OMPI_MCA_coll_tuned_use_dynamic_rules=1\n"
    "export OMPI_MCA_coll_tuned_alltoall_algorithm=2\n";

TEST(CheckTuningTest, ASoundFile) {
  const Folder folder;
  const std::string file = folder.Write("rules", kSound);
  const CheckOutcome outcome = Cox({"tune", "--check", file, "--library", "openmpi-4.1"});
  EXPECT_EQ(outcome.exit_code, kExitOk) << outcome.err;
  EXPECT_EQ(outcome.out, file + ": nothing wrong found for openmpi-4.1 (rules)\n");
  EXPECT_THAT(outcome.err, IsEmpty());
}

// What a person could not see, each with what to do.
TEST(CheckTuningTest, TellsWhatTheLibraryDoesNot) {
  const struct {
    const char* text;
    const char* finding;
  } kCases[] = {
      {"1\n3\n1\n2 2\n0 3 0 0\n010 2 0 0\n", "write it without the leading 0"},
      {"1\n3\n1\n2 1\n8 3 0 0\n", "the first message size is 8, it must be 0"},
      {"1\n15\n1\n2 2\n0 1 0 0\n64 2 0 0\n", "scatter: communicator size 2: more than one row"},
      {"1\n2\n1\n2 1\n0 4 0 0\n", "do not commute"},
      {"1\n3\n1\n2 3\n0 3 0 0\n64 2 0 0\n32 1 0 0\n", "sort the rows"},
      {"1\n3\n2\n1 1\n0 1 0 0\n2 1\n0 2 0 0\n", "can never match"},
      {"rule-file-version-2\n1\n3\n0\n", "ignores the complete file"},
      {"2\n3\n1\n2 1\n0 1 0 0\n", "ignores the complete file"},
  };
  const Folder folder;
  for (const auto& each : kCases) {
    const std::string file = folder.Write("rules", each.text);
    const CheckOutcome outcome = Cox({"tune", "--check", file, "--library", "openmpi-4.1"});
    EXPECT_EQ(outcome.exit_code, kExitRefused) << each.text;
    EXPECT_THAT(outcome.out, AllOf(StartsWith(file + ": "), HasSubstr(each.finding)));
    EXPECT_THAT(outcome.err, HasSubstr("finding"));
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  }
}

TEST(CheckTuningTest, FormatAndPromises) {
  const Folder folder;
  const std::string variables = folder.Write("env", kVariables);
  EXPECT_EQ(
      Cox({"tune", "--check", variables, "--library", "openmpi-4.1", "--format", "env"}).exit_code,
      kExitOk);
  EXPECT_EQ(Cox({"tune", "--check", variables, "--library", "openmpi-4.1"}).exit_code,
            kExitRefused);
  const std::string ring = folder.Write("rules", "1\n2\n1\n2 1\n0 4 0 0\n");
  EXPECT_EQ(Cox({"tune", "--check", ring, "--library", "openmpi-4.1"}).exit_code, kExitRefused);
  for (const char* promise : {"commutative", "commutative,elements>=ranks"}) {
    EXPECT_EQ(
        Cox({"tune", "--check", ring, "--library", "openmpi-4.1", "--assume", promise}).exit_code,
        kExitOk)
        << promise;
  }
}

TEST(CheckTuningTest, ManyFindingsAreCounted) {
  const Folder folder;
  std::string text;
  for (int i = 0; i < 30; ++i) text += "nonsense\n";
  const std::string file = folder.Write("env", text);
  const CheckOutcome outcome = Cox({"tune", "--check", file, "--library", "mvapich-3.0"});
  EXPECT_EQ(outcome.exit_code, kExitRefused);
  EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), kMaxFindings + 1);
  EXPECT_THAT(outcome.out, HasSubstr("and 10 more findings, 30 in all\n"));
  EXPECT_THAT(outcome.err, HasSubstr("30 findings, read as mvapich-3.0 (env)"));
  const CheckOutcome json = Cox({"--json", "tune", "--check", file, "--library", "mvapich-3.0"});
  EXPECT_EQ(json.exit_code, kExitRefused);
  EXPECT_THAT(json.out, AllOf(StartsWith("{\"file\":"), HasSubstr("\"format\":\"env\""),
                              HasSubstr("line 30: "), Not(HasSubstr("more, 30"))));
  EXPECT_EQ(std::count(json.out.begin(), json.out.end(), '\n'), 1);
}

TEST(CheckTuningTest, FilesThatAreNoText) {
  const Folder folder;
  const auto check = [](const std::string& file) {
    return Cox({"tune", "--check", file, "--library", "openmpi-4.1"});
  };
  const CheckOutcome missing = check(folder.Path("missing"));
  EXPECT_EQ(missing.exit_code, kExitNotFound);
  EXPECT_THAT(missing.err, HasSubstr("missing: No such file"));
  EXPECT_THAT(check(folder.Write("empty", "")).err, HasSubstr("is empty"));
  EXPECT_THAT(check(folder.Write("binary", std::string("1\0 2", 4))).err,
              HasSubstr("is not a text file"));
  EXPECT_THAT(check(folder.Path("")).err, HasSubstr("is a directory"));
  EXPECT_THAT(check(folder.Write("large", std::string((1 << 20) + 1, '1'))).err,
              HasSubstr("larger than 1 MiB"));
  const CheckOutcome big = check(folder.Write("big", std::string((16 << 20) + 1, '1')));
  EXPECT_EQ(big.exit_code, kExitRefused);
  EXPECT_THAT(big.err, HasSubstr("larger than 1 MiB"));
}

TEST(CheckTuningTest, AnotherFormatIsOneErrorWithTheOptionsThatFit) {
  const std::string json = "// of mpich\n{\n\"collective=allreduce\": {}\n}\n";
  const std::string mpich = "export MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM=pairwise\n";
  const struct {
    std::string text;
    const char* library;
    const char* format;  // empty: none is given
    const char* error;
  } kCases[] = {
      {json, "openmpi-4.1", "",
       "(JSON) for mpich-4.0, not like openmpi-4.1 (rules); use --library"},
      {kSound, "mpich-4.0", "", "not like mpich-4.0 (json); use --library openmpi-4.1\n"},
      {kSound, "nccl-2", "", "use --library openmpi-4.1\n"},
      {kVariables, "openmpi-4.1", "",
       "looks like `export` lines, not like openmpi-4.1 (rules); "
       "use --format env\n"},
      {kVariables, "openmpi-5.0", "", "use --format env\n"},
      {kVariables, "mpich-4.0", "env", "use --library openmpi-4.1 --format env\n"},
      {mpich, "openmpi-4.1", "", "use --library mpich-4.0 --format env\n"},
      {mpich, "mpich-4.0", "", "use --format env\n"},
      {"export I_MPI_ADJUST_BCAST=1\n", "ucc-1", "", "use --library intelmpi-2019\n"},
      {"decided_ranks 8\n", "openmpi-4.1", "", "use --library coxcoll\n"},
  };
  const Folder folder;
  for (const auto& each : kCases) {
    const std::string file = folder.Write("text", each.text);
    std::vector<std::string> words = {"tune", "--check", file, "--library", each.library};
    if (each.format[0] != '\0') words.insert(words.end(), {"--format", each.format});
    const CheckOutcome outcome = Cox(words);
    EXPECT_EQ(outcome.exit_code, kExitRefused) << each.text;
    EXPECT_THAT(outcome.out, IsEmpty());
    EXPECT_THAT(outcome.err,
                AllOf(StartsWith("cox: " + file + ": looks like "), HasSubstr(each.error)));
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  }
  // The names of MPICH count for its descendants, too.
  const std::string file = folder.Write("text", mpich);
  EXPECT_THAT(Cox({"tune", "--check", file, "--library", "mvapich-3.0"}).err,
              Not(HasSubstr("looks like")));
}

TEST(CheckTuningTest, WhatIsNotKnownIsListed) {
  const Folder folder;
  const std::string file = folder.Write("rules", kSound);
  EXPECT_THAT(Cox({"tune", "--check", file, "--library", "lam"}).err,
              AllOf(HasSubstr("\"lam\" is not known"), HasSubstr("openmpi-4.1")));
  const CheckOutcome format =
      Cox({"tune", "--check", file, "--library", "mvapich-3.0", "--format", "rules"});
  EXPECT_EQ(format.exit_code, kExitRefused);
  EXPECT_THAT(format.err, HasSubstr("only env"));
}

TEST(CheckTuningTest, OptionsThatDoNotGoTogether) {
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"tune", "--check", "f"},
           {"tune", "--check", "f", "--library", "openmpi-4.1", "--nodes", "2"},
           {"tune", "--check", "f", "--library", "openmpi-4.1", "-o", "g"},
           {"tune", "--check", "f", "--library", "openmpi-4.1", "--assume", "luck"},
           {"tune", "--check", "f", "--library", "openmpi-4.1", "--format", "xml"},
           {"tune", "--library", "openmpi-4.1", "--nodes", "2"},
           {"tune", "--library", "openmpi-4.1", "-m", "m"},
           {"tune", "--library", "openmpi-4.1", "-m", "m", "--nodes", "2", "--shell", "cmd"}}) {
    const CheckOutcome outcome = Cox(words);
    EXPECT_EQ(outcome.exit_code, kExitUsage) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("see `cox tune --help`"));
  }
}

}  // namespace
}  // namespace cox::cli
