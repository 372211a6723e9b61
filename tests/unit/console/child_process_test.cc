#include "console/child_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <thread>

#include "folder.h"

namespace cox::console {
namespace {

using ::testing::ElementsAre;

ChildCommand Shell(const std::string& script) {
  ChildCommand command;
  command.words = {"sh", "-c", script};
  command.limit_s = 60;
  return command;
}

TEST(ChildProcessTest, GivesOutputErrorLinesAndExitCode) {
  std::vector<std::string> lines;
  ChildCommand command = Shell("echo out; echo one >&2; printf 'two\\rthree' >&2; cat; exit 7");
  command.on_error_line = [&](absl::string_view line) { lines.emplace_back(line); };
  const auto result = RunChild(command);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->exit_code, 7);
  EXPECT_EQ(result->out, "out\n") << "standard input is empty";
  EXPECT_THAT(lines, ElementsAre("one", "two", "three"));
}

TEST(ChildProcessTest, LeavesOutOfTheEnvironment) {
  setenv("COX_TEST_INHERITED", "yes", 1);
  setenv("COX_TEST_LEFT_OUT", "yes", 1);
  ChildCommand command = Shell("echo $COX_TEST_INHERITED ${COX_TEST_LEFT_OUT-unset}");
  command.without = {"COX_TEST_LEFT_OUT"};
  EXPECT_EQ(RunChild(command)->out, "yes unset\n");
}

TEST(ChildProcessTest, AddsToTheEnvironment) {
  setenv("COX_TEST_INHERITED", "yes", 1);
  setenv("COX_TEST_REPLACED", "old", 1);
  ChildCommand command = Shell("echo $COX_TEST_INHERITED $COX_TEST_REPLACED");
  command.environment["COX_TEST_REPLACED"] = "new value";
  EXPECT_EQ(RunChild(command)->out, "yes new value\n");
}

TEST(ChildProcessTest, TakesMuchOutput) {
  const auto result = RunChild(Shell("head -c 3000000 /dev/zero; head -c 300000 /dev/zero >&2"));
  EXPECT_EQ(result->out.size(), 3000000);
}

TEST(ChildProcessTest, ASignalBecomesAnExitCode) {
  EXPECT_EQ(RunChild(Shell("kill -9 $$"))->exit_code, 137);
}

// Each of two programs ends only after the other one has begun.
TEST(ChildProcessTest, RunsSeveralAtOnce) {
  const Folder folder;
  const std::string mine = folder.Path("a");
  const std::string other = folder.Path("b");
  const auto meet = [](const std::string& here, const std::string& there) {
    return Shell("echo > " + here + "; while [ ! -e " + there + " ]; do sleep 0.02; done; echo " +
                 here);
  };
  ChildCommand missing;
  missing.words = {"no-such-program-of-cox"};
  const std::vector<ChildCommand> commands = {meet(mine, other), missing, meet(other, mine),
                                              Shell("exit 3")};
  const auto results = RunChildren(commands);
  ASSERT_EQ(results.size(), 4);
  ASSERT_TRUE(results[0].ok() && results[2].ok() && results[3].ok());
  EXPECT_EQ(results[0]->out, mine + "\n");
  EXPECT_GT(results[0]->elapsed_s, 0);
  EXPECT_TRUE(absl::IsNotFound(results[1].status()));
  EXPECT_EQ(results[2]->out, other + "\n");
  EXPECT_EQ(results[3]->exit_code, 3);
  EXPECT_TRUE(RunChildren({}).empty());
}

TEST(ChildProcessTest, AMissingProgramIsNotFound) {
  ChildCommand command;
  command.words = {"no-such-program-of-cox"};
  command.limit_s = 60;
  EXPECT_TRUE(absl::IsNotFound(RunChild(command).status()));
}

TEST(ChildProcessTest, AnOrphanThatKeepsTheOutputIsNotWaitedFor) {
  const auto result = RunChild(Shell("sleep 100 & echo $!; exit 3"));
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->exit_code, 3);
  EXPECT_EQ(kill(std::stoi(result->out), SIGKILL), 0);
}

TEST(ChildProcessTest, EndsWhatTakesTooLongWithAllThatItStarted) {
  const Folder folder;
  ChildCommand command = Shell("sleep 1000 & echo $! > " + folder.Path("pid") + "; wait");
  command.limit_s = 0.5;
  const auto result = RunChild(command);
  EXPECT_TRUE(absl::IsAborted(result.status())) << result.status();
  const pid_t grandchild = std::stoi(folder.Read("pid"));
  // It was signalled before RunChild returned; it is gone, or gone as soon as somebody reaps it.
  for (int i = 0; i < 1000 && kill(grandchild, 0) == 0; ++i) {
    std::ifstream stat("/proc/" + std::to_string(grandchild) + "/stat");
    std::string id;
    std::string name;
    std::string state;
    stat >> id >> name >> state;
    if (state == "Z" || state.empty()) break;
    std::this_thread::yield();
    usleep(1000);
  }
  std::ifstream stat("/proc/" + std::to_string(grandchild) + "/stat");
  std::string id;
  std::string name;
  std::string state;
  stat >> id >> name >> state;
  EXPECT_TRUE(state.empty() || state == "Z") << state;
}

TEST(ChildProcessTest, ASignalToUsEndsTheChild) {
  // The shell's parent is this process: the signal arrives while RunChild waits.
  const auto result = RunChild(Shell("kill -TERM $PPID; sleep 1000"));
  EXPECT_TRUE(absl::IsCancelled(result.status())) << result.status();
}

TEST(ChildProcessTest, ASignalBetweenChildrenIsRememberedAndASecondOneEndsUs) {
  const SignalScope outer;
  EXPECT_FALSE(outer.interrupted());
  EXPECT_EXIT(
      {
        raise(SIGINT);
        raise(SIGINT);
      },
      ::testing::KilledBySignal(SIGINT), "");
  raise(SIGINT);
  EXPECT_TRUE(outer.interrupted());
  const auto result = RunChild(Shell("sleep 1000"));
  EXPECT_TRUE(absl::IsCancelled(result.status())) << result.status();
}

}  // namespace
}  // namespace cox::console
