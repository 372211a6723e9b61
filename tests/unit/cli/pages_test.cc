// Completions and the manual page, made from the real command line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "cli/app.h"
#include "cli/options/description.h"
#include "cli/output/completion.h"
#include "cli/output/manual.h"
#include "console/child_process.h"
#include "folder.h"

namespace cox::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class PagesTest : public ::testing::Test {
 protected:
  GlobalOptions options_;
  std::vector<VerbDescription> verbs_ = MakeCommandLine(options_)->Describe();

  // What bash offers for the last word. `before`: shell commands that it runs first.
  std::string Complete(const std::string& words, const std::string& before = "") {
    const Folder folder;
    folder.Write("cox.bash", BashCompletion(verbs_));
    console::ChildCommand command;
    command.words = {
        "bash", "-c",
        before + "source " + folder.Path("cox.bash") + "; COMP_WORDS=(" + words +
            "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _cox; echo \"${COMPREPLY[*]}\""};
    command.limit_s = 60;
    const auto result = console::RunChild(command);
    EXPECT_TRUE(result.ok());
    return result->out;
  }
};

TEST_F(PagesTest, EveryVerbAndOptionHasAText) {
  std::set<std::string> footers;
  for (const VerbDescription& verb : verbs_) {
    EXPECT_THAT(verb.text, Not(IsEmpty()));
    EXPECT_TRUE(verb.footer.empty() || footers.insert(verb.footer).second)
        << verb.path.back() << " repeats what another verb says";
    for (const OptionDescription& option : verb.options) {
      EXPECT_THAT(option.text, Not(IsEmpty())) << option.names;
      EXPECT_THAT(option.names, Not(IsEmpty()));
    }
  }
}

TEST_F(PagesTest, BashCompletesVerbsOptionsAndChoices) {
  EXPECT_EQ(Complete("cox doc"), "doctor\n");
  EXPECT_EQ(Complete("cox machine im"), "import\n");
  EXPECT_EQ(Complete("cox exp"), "explain\n");
  EXPECT_EQ(Complete("cox pattern --ro"), "--route\n");
  EXPECT_EQ(Complete("cox kernel --what"), "--what-if\n");
  EXPECT_EQ(Complete("cox predict --what-if c3.s*2 --pl"), "--placement --plot\n");
  EXPECT_EQ(Complete("cox --json machine im"), "import\n");
  EXPECT_EQ(Complete("cox --server machine machine im"), "import\n") << "a value is no verb";
  EXPECT_EQ(Complete("cox predict --pla"), "--placement\n");
  EXPECT_EQ(Complete("cox predict --placement c"), "cyclic\n");
  EXPECT_EQ(Complete("cox predict --time"), "--timeout\n") << "global options go everywhere";
  EXPECT_EQ(Complete("cox calibrate --mpi o"), "openmpi\n");
  EXPECT_THAT(Complete("cox ''"), Not(HasSubstr("--print-")));
}

TEST_F(PagesTest, BashCompletesBehindANameThatIsNoVerb) {
  EXPECT_EQ(Complete("cox calibrate mycluster --q"), "--quick\n");
  EXPECT_EQ(Complete("cox machine show machine --wi"), "--wide\n");
  EXPECT_THAT(FishCompletion(verbs_),
              HasSubstr("contains -- (string trim -- \"$path $word\") 'help' "));
}

TEST_F(PagesTest, TheVerbDecidesWhichValuesAnOptionHas) {
  for (const VerbDescription& verb : verbs_) {
    if (!verb.verbs.empty()) continue;
    std::string words = "cox";
    for (const std::string& word : verb.path) words += " " + word;
    for (const OptionDescription& option : verb.options) {
      if (option.choices.empty() || option.flags.empty()) continue;
      std::string offered = Complete(words + " " + option.flags.back() + " ''");
      EXPECT_THAT(offered, HasSubstr(option.choices.front())) << words << " " << option.names;
      EXPECT_EQ(std::count(offered.begin(), offered.end(), ' ') + 1, option.choices.size())
          << words << " " << option.names << ": " << offered;
    }
  }
}

TEST_F(PagesTest, ValuesAreQuotedForTheShell) {
  // Unquoted, bash and fish would redirect the output into a file named "=ranks".
  EXPECT_EQ(Complete("cox tune --assume ele"), "elements\\>=ranks\n");
  EXPECT_THAT(FishCompletion(verbs_),
              HasSubstr(R"(-a 'commutative \'elements>=ranks\' same-counts any-order')"));
}

TEST_F(PagesTest, HelpIsFollowedByVerbs) {
  EXPECT_EQ(Complete("cox help predi"), "predict\n");
  EXPECT_EQ(Complete("cox help machine im"), "import\n");
  EXPECT_THAT(FishCompletion(verbs_), HasSubstr("-n '__cox_at help machine' -a import -d "));
}

TEST_F(PagesTest, NamesThatCoxKnowsItselfAreOffered) {
  EXPECT_EQ(Complete("cox predict -c bc"), "bcast\n");
  EXPECT_EQ(Complete("cox observations list --collective allg"), "allgather allgatherv\n");
  EXPECT_EQ(Complete("cox tune -c scat"), "scatter scatterv\n");
  EXPECT_EQ(Complete("cox tune --library openmpi"), "openmpi-4.1 openmpi-5.0\n");
  EXPECT_EQ(Complete("cox predict --model max"), "max-rate\n");
  EXPECT_EQ(Complete("cox kernel --kernel mat"), "matmul-3d matmul-cannon\n");
  EXPECT_EQ(Complete("cox kernel --kernel sample"), "sample-sort\n") << "once for all variants";
  EXPECT_THAT(FishCompletion(verbs_), HasSubstr("-l library -x -a 'openmpi-4.1 openmpi-5.0 "));
}

// Whoever binds coxd's port while it is away answers for it.
TEST_F(PagesTest, AMachinesNameThatIsAShellsCommandIsNotRun) {
  const std::string daemon =
      "cox() { printf '%s' '{\"machines\":[{\"name\":\"machines/big\"},"
      "{\"name\":\"machines/$(echo${IFS}RAN>&2)x\"},{\"name\":\"machines/b`touch${IFS}RAN`\"},"
      "{\"name\":\"machines/small.2\"}]}'; }; exec 2>&1; ";
  EXPECT_EQ(Complete("cox predict -m ''", daemon), "big small.2\n");
  EXPECT_THAT(FishCompletion(verbs_), HasSubstr("machines/([a-z0-9][a-z0-9._-]*)"));
}

TEST_F(PagesTest, ZshCompletionBorrowsFromBash) {
  EXPECT_THAT(ZshCompletion(verbs_), ::testing::StartsWith("#compdef cox\n"));
}

TEST_F(PagesTest, FishCompletionKnowsEveryVerb) {
  const std::string fish = FishCompletion(verbs_);
  for (const VerbDescription& verb : verbs_) {
    if (verb.path.empty()) continue;
    std::string parent;
    for (size_t i = 0; i + 1 < verb.path.size(); ++i) parent += verb.path[i];
    EXPECT_THAT(fish, HasSubstr("complete -c cox -n '__cox_at " + parent + "' -a " +
                                verb.path.back() + " -d "));
  }
  EXPECT_THAT(fish, HasSubstr("-l placement -x -a 'block cyclic'"));
  EXPECT_THAT(fish, Not(HasSubstr("print-man")));
}

TEST_F(PagesTest, TheManualPageNamesAllAndHasNoBareRequests) {
  const std::string page = ManualPage(verbs_, "9.9");
  EXPECT_THAT(page, HasSubstr("Coxswain 9.9"));
  EXPECT_THAT(page, HasSubstr(".SH \"EXIT STATUS\""));
  for (const VerbDescription& verb : verbs_) {
    std::string synopsis = ".SS cox";
    for (const std::string& word : verb.path) synopsis += " " + word;
    if (verb.path.empty()) continue;
    EXPECT_THAT(page, HasSubstr(synopsis));
  }
  // Every request is one that the page means to make.
  std::istringstream lines(page);
  std::string line;
  while (std::getline(lines, line)) {
    if (line.empty() || (line[0] != '.' && line[0] != '\'')) continue;
    EXPECT_THAT(line, ::testing::MatchesRegex("\\.(TH|SH|SS|TP|PP|nf|fi)( .*)?")) << line;
  }
}

}  // namespace
}  // namespace cox::cli
