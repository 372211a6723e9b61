// cox run: sets the best algorithms for a job, then becomes the command that starts it.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <random>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/options/assume.h"
#include "cli/options/shared_options.h"
#include "cli/resource_names.h"
#include "cli/run/become_command.h"
#include "cli/run/find_decisions.h"
#include "cli/run/find_tuning.h"
#include "cli/run/job_shape.h"
#include "cli/run/mpi_library.h"
#include "cli/run/run_settings.h"
#include "cli/verbs/verbs.h"
#include "console/numbers.h"
#include "console/programs.h"
#include "domain/words/counted.h"
#include "library/libraries.h"
#include "library/run_time_number.h"
#include "tuning/own_folder.h"

namespace cox::cli {
namespace {

constexpr int64_t kMaxLimit_ms = 60000;
// The API's bound.
constexpr double kMaxExploreShare = 0.5;
// With more canaries than chosen algorithms, a job would hardly be tuned.
constexpr double kMaxCanaryShare = 0.5;

struct RunOptions {
  std::string mode = "tune";
  std::string machine;
  std::string library;
  JobShape shape;
  std::vector<std::string> assume;
  int64_t limit_ms = 200;
  double explore_ratio = 0;
  double canary_ratio = 0;
  std::string shared_folder;
  bool with_coxcoll = false;
  bool print = false;
  bool quiet = false;
  std::vector<std::string> command;
};

// The settings of a job, and the remarks about them.
struct Outcome {
  RunSettings settings;
  std::vector<std::string> remarks;
  absl::Status daemon;          // UNAVAILABLE where it is away
  bool is_for_another = false;  // the first task of the step says the same
};

const char* Variable(const char* name) { return std::getenv(name); }

std::string HostName() {
  std::array<char, 256> host = {};
  gethostname(host.data(), host.size() - 1);
  return host.data();
}

// True with this probability, each time anew.
bool Draw(double probability) {
  if (probability <= 0) return false;
  std::random_device source;
  return std::uniform_real_distribution<double>(0, 1)(source) < probability;
}

// The settings of one job, put together step by step.
class JobSettings {
 public:
  JobSettings(Session& session, const RunOptions& options)
      : session_(session),
        options_(options),
        machine_(MachineOfJob(options.machine, Variable, HostName())),
        library_(options.library) {}

  Outcome Find() {
    if (options_.mode != "off") Ask();
    outcome_.settings = Combine(tuning_, agent_, machine_, session_.connection().server(),
                                session_.connection().credentials().server_user, Variable);
    return std::move(outcome_);
  }

 private:
  void Ask() {
    const absl::StatusOr<LauncherWords> words = ReadLauncherWords(options_.command);
    if (!words.ok()) return Remark(words.status().message());
    // Who asks with --print gives all tasks the same answer; a launcher starts a job of its own.
    if (words->kind == LauncherKind::kNone && !options_.print) task_ = FindStepTask(Variable);
    outcome_.is_for_another = task_.has_value() && task_->rank != 0;
    if (library_.empty()) FindLibrary(*words);
    if (library_.empty()) {
      return Remark("the MPI library is unknown; name it with --library or COX_LIBRARY");
    }
    if (absl::Status status = CheckMachineName(machine_); !status.ok()) {
      return Remark(status.message());
    }
    const std::string other = WarnOfOtherMpi(library_, options_.command, *words);
    // The agent of another MPI crashes the job.
    if (!other.empty()) return Remark(other);
    promises_ = Promised();
    if (task_.has_value()) {
      SetUpTask(*words);
    } else if (const auto shape = FindJobShape(options_.shape, *words, Variable); shape.ok()) {
      FindTuningFor(*shape, *words);
    } else {
      Remark(shape.status().message());
    }
    // Canaries are worth nothing without timings.
    const bool observes =
        options_.mode == "observe" || options_.mode == "apply" || options_.canary_ratio > 0;
    // Without the daemon, too: the agent keeps what it cannot send.
    if (observes) Observe();
    if (is_away_ && !agent_.empty()) Remark(WhereTimingsStay(Variable, getuid()));
  }

  void FindLibrary(const LauncherWords& words) {
    const char* named = Variable("COX_LIBRARY");
    library_ =
        named != nullptr && named[0] != '\0' ? named : LibraryOfCommand(options_.command, words);
  }

  void FindTuningFor(const JobShape& shape, const LauncherWords& words) {
    TuningKey key;
    key.server = session_.connection().server();
    key.machine = machine_;
    key.library = library_;
    key.shape = shape;
    key.assume = AssumptionsOf(promises_);
    key.explore_ratio = options_.explore_ratio;
    if (options_.mode == "apply") {
      FindDecisionsFor(std::move(key), words);
    } else {
      FindTextFor(std::move(key), words);
    }
  }

  // Ranks with different algorithms wait for each other for ever. So in a task nothing depends on
  // chance, or on an answer that another task may not get. Agents agree among ranks.
  void SetUpTask(const LauncherWords& words) {
    if (options_.mode != "apply") {
      tuning_ = SetByEarlierHook(Variable);
      return Remark(
          absl::StrCat("one of ", task_->count,
                       " tasks, which would each ask for themselves: cox sets no tuning; start the "
                       "launcher with cox, as in `cox run -- srun ./app`, or use --mode apply"));
    }
    absl::StatusOr<std::vector<Setting>> settings = SettingsToApply();
    if (!settings.ok()) return Remark(settings.status().message());
    Take(*std::move(settings), ChoicesByFile(library_), true, words);
  }

  absl::StatusOr<std::vector<Setting>> SettingsToApply() const {
    return ApplySettings(library_, {promises_, options_.limit_ms, options_.with_coxcoll,
                                    options_.explore_ratio, options_.canary_ratio});
  }

  // Fills the agent's cache with the answer to its question.
  void FindDecisionsFor(TuningKey key, const LauncherWords& words) {
    key.assume.commutative = true;
    key.question = tuning::Question::kDecisions;
    if (options_.with_coxcoll) key.second_library = std::string(library::kCoxcoll);
    const TuningCache cache(TuningCache::DefaultFolder(Variable));
    const absl::StatusOr<FoundDecisions> found =
        FindDecisions(key, Limit_s(), cache, session_.connection().credentials());
    if (!found.ok()) return RemarkFailure(found.status());
    absl::StatusOr<std::vector<Setting>> settings = SettingsToApply();
    if (!settings.ok()) return Remark(settings.status().message());
    RemarkFound(key, found->answer.profile_revision());
    RemarkCaveats(found->answer);
    bool changes_something = false;
    for (const v1::Decision& row : found->answer.decisions()) {
      changes_something = changes_something || row.algorithm() != "default";
      if (row.trial().empty()) continue;
      Remark(absl::StrCat("trial: ", row.collective(), " from ", row.from_block_bytes(), " bytes, ",
                          row.library().empty() ? "" : row.library() + "/", row.algorithm()));
    }
    RemarkCached(found->remark);
    Take(*std::move(settings), ChoicesByFile(library_), changes_something, words);
  }

  void FindTextFor(TuningKey key, const LauncherWords& words) {
    const std::string shared = SharedFolder();
    std::string folder = TuningCache::DefaultFolder(Variable);
    if (!shared.empty()) {
      absl::StatusOr<std::string> own = tuning::MakeOwnFolder(shared);
      if (!own.ok()) return Remark(own.status().message());
      folder = *std::move(own);
    }
    const TuningCache cache(std::move(folder));
    if (ReadsFile(library_, words, key.shape, Variable, !shared.empty())) {
      key.question = tuning::Question::kFile;
    }
    const absl::StatusOr<FoundTuning> found =
        FindTuning(key, session_.command(), Limit_s(), cache, session_.connection().credentials());
    if (!found.ok()) return RemarkFailure(found.status());
    absl::StatusOr<std::vector<Setting>> settings =
        TuningSettings(library_, found->answer, found->text_file);
    if (!settings.ok()) return Remark(settings.status().message());
    RemarkFound(key, found->answer.profile_revision());
    RemarkCaveats(found->answer);
    for (const v1::TuningRow& row : found->answer.rows()) {
      if (row.trial().empty()) continue;
      Remark(absl::StrCat("trial: ", row.collective(), " from ", row.block_bytes(), " bytes, ",
                          row.algorithm()));
    }
    RemarkCached(found->remark);
    const std::vector<Setting> choices = *settings;
    Take(*std::move(settings), choices, ChangesSomething(found->answer), words);
  }

  // Sets `settings`, unless the user has set one of `choices`.
  void Take(std::vector<Setting> settings, const std::vector<Setting>& choices,
            bool changes_something, const LauncherWords& words) {
    std::string by_hand = SetByHand(choices, Variable);
    if (by_hand.empty()) by_hand = NamedByLauncher(choices, options_.command, words);
    if (!by_hand.empty()) {
      Remark(absl::StrCat(by_hand, " is already set by hand: cox sets no tuning"));
    } else if (!changes_something) {
      Remark("keeps the library's default: no other algorithm is recommended");
    } else if (settings.empty()) {
      Remark(
          "nothing can be set: variables choose for all sizes at once, and the best algorithm "
          "depends on the size");
    } else {
      tuning_ = std::move(settings);
    }
  }

  double Limit_s() const { return static_cast<double>(options_.limit_ms) * 1e-3; }

  // Of both answers.
  template <typename Answer>
  void RemarkCaveats(const Answer& answer) {
    for (const std::string& caveat : answer.caveats()) Remark(absl::StrCat("note: ", caveat));
  }

  void RemarkFailure(const absl::Status& status) {
    if (absl::IsUnavailable(status)) outcome_.daemon = status;
    is_away_ = true;
    Remark(status.message());
  }

  // Says that an answer comes from the cache.
  void RemarkCached(const std::string& remark) {
    if (remark.empty()) return;
    is_away_ = true;
    Remark(remark);
  }

  void RemarkFound(const TuningKey& key, int64_t profile_revision) {
    Remark(absl::StrCat(library_, " on ", machine_, ", ", key.shape.nodes, " x ",
                        domain::Counted(key.shape.ppn, "rank"), ", profile revision ",
                        profile_revision));
  }

  // An absolute path, for ranks on other nodes; empty where none is named.
  std::string SharedFolder() const {
    const char* variable = Variable("COX_SHARED_FOLDER");
    const std::string folder = !options_.shared_folder.empty() ? options_.shared_folder
                               : variable != nullptr           ? variable
                                                               : "";
    if (folder.empty()) return "";
    std::error_code error;
    const std::filesystem::path path = std::filesystem::absolute(folder, error);
    return error ? "" : path.string();
  }

  // The words of --assume or COX_ASSUME. A mistake in the variable must not keep a job from
  // starting.
  std::vector<std::string> Promised() {
    const char* variable = Variable("COX_ASSUME");
    if (!options_.assume.empty() || variable == nullptr) return options_.assume;
    absl::StatusOr<std::vector<std::string>> words = ParseAssumptions(variable);
    if (words.ok()) return *std::move(words);
    Remark(absl::StrCat("COX_ASSUME: ", words.status().message()));
    return {};
  }

  void Observe() {
    agent_ = console::FindAgent(MpiOfLibrary(library_));
    if (!agent_.empty()) {
      DrawCanary();
      const std::vector<Setting> samples = SampleSettings(options_.explore_ratio, Variable);
      tuning_.insert(tuning_.end(), samples.begin(), samples.end());
      return;
    }
    Remark(absl::StrCat("no agent is installed for ", library_));
    if (options_.mode == "apply") tuning_.clear();
  }

  // Where the agent steers, it draws call by call instead. A job that nothing is set for runs the
  // default anyway, and is compared with nothing.
  void DrawCanary() {
    const bool may_be_one = options_.mode != "apply" && !task_.has_value() && !tuning_.empty();
    if (!may_be_one || !Draw(options_.canary_ratio)) return;
    tuning_ = {CanaryJobSetting()};
    Remark("canary: this job runs the library's default");
  }

  void Remark(absl::string_view text) { outcome_.remarks.emplace_back(text); }

  Session& session_;
  const RunOptions& options_;
  std::string machine_;
  std::string library_;
  std::vector<std::string> promises_;
  std::vector<Setting> tuning_;
  std::string agent_;
  std::optional<StepTask> task_;  // where this process is one of several
  bool is_away_ = false;          // coxd gave no answer
  Outcome outcome_;
};

// One line with the remarks and the settings.
std::string Line(const Outcome& outcome) {
  std::vector<std::string> parts = outcome.remarks;
  std::vector<std::string> settings;
  for (const auto& [name, value] : outcome.settings.set) {
    if (name != kSetVariable) settings.push_back(absl::StrCat(name, "=", value));
  }
  parts.push_back(settings.empty() ? "nothing is set"
                                   : absl::StrCat("set ", absl::StrJoin(settings, " ")));
  return absl::StrCat("run: ", absl::StrJoin(parts, "; "));
}

absl::Status Run(Session& session, const RunOptions& options) {
  const Outcome outcome = JobSettings(session, options).Find();
  const bool is_said = !options.quiet && options.mode != "off" && !outcome.is_for_another;
  if (is_said) session.Note(Line(outcome));
  if (options.print) {
    for (const std::string& name : outcome.settings.unset) {
      session.out() << "unset " << name << '\n';
    }
    for (const auto& [name, value] : outcome.settings.set) {
      session.out() << "export " << name << '=' << value << '\n';
    }
    return outcome.daemon.ok() ? absl::OkStatus() : absl::UnavailableError("coxd did not answer");
  }
  const absl::StatusOr<LauncherWords> words = ReadLauncherWords(options.command);
  session.out().flush();
  session.err().flush();
  std::string why;
  const int code = BecomeCommand(
      words.ok() ? WithForwarding(options.command, *words, outcome.settings, FirstEnvironment())
                 : options.command,
      outcome.settings, why);
  session.Note(why);
  std::_Exit(code);
}

}  // namespace

void AddRunVerb(Verb app) {
  Verb verb = app.Sub("run", "Start an MPI job with the best algorithms");
  verb.Footer(
      "Examples:\n"
      "  cox run -- mpirun -n 64 ./app\n"
      "  cox run --machine cluster --mode observe --nodes 8 --ppn 8 -- mpirun ./app\n"
      "  cox run --mode apply -- mpirun -n 64 ./app\n"
      "  cox run --mode apply --canary 5% -- mpirun -n 64 ./app     and later: cox savings "
      "cluster\n"
      "One line on stderr says what cox sets. Then the command replaces cox: input, output,\n"
      "signals and exit code are the command's own. If coxd does not answer, the command runs\n"
      "untuned. cox keeps variables of the MPI library that are already set.");
  auto options = std::make_shared<RunOptions>();
  verb.Text("--mode", options->mode,
            "tune: set the best algorithms; observe: also report the job's timings; apply: select "
            "the algorithm at each call, and report; off: change nothing")
      .OneOf({"off", "tune", "observe", "apply"})
      .ShowDefault();
  AddMachineOption(verb, options->machine)
      .Describe(
          "The machine's name (default: COX_MACHINE, else Slurm's name of the cluster, else "
          "the host's name without its number)");
  AddLibraryOption(verb, options->library)
      .Describe(
          "The MPI library, such as `openmpi-4.1` or `mpich-4.0` (default: COX_LIBRARY, else "
          "what the launcher or the program shows)")
      .Check([](const std::string& name) {
        if (library::FindLibrary(name) != nullptr) return absl::OkStatus();
        return absl::NotFoundError(absl::StrCat("there is no library \"", name, "\"; known are ",
                                                library::LibraryNames()));
      });
  AddCount(verb, "--nodes", options->shape.nodes, 1, console::kMaxCount,
           "Nodes of the job (default: what the launcher or the scheduler says)");
  AddCount(verb, "--ppn", options->shape.ppn, 1, console::kMaxCount,
           "Ranks per node (default: what the launcher or the scheduler says)");
  AddAssumeOption(verb, options->assume);
  verb.Parsed(
          "--explore",
          [options](const std::string& text) {
            const absl::StatusOr<double> share = console::ParseShare(text, kMaxExploreShare);
            if (share.ok()) options->explore_ratio = *share;
            return share.status();
          },
          "Share of the time in collectives that trials of other algorithms may cost, such as "
          "5% (default: none)")
      .Type("SHARE");
  verb.Parsed(
          "--canary",
          [options](const std::string& text) {
            const absl::StatusOr<double> share = console::ParseShare(text, kMaxCanaryShare);
            if (share.ok()) options->canary_ratio = *share;
            return share.status();
          },
          "Share of the jobs that run the library's default at random, such as 5% (default: none). "
          "With --mode apply: share of the calls. `cox savings` compares them with tuned ones. The "
          "job also reports its timings")
      .Type("SHARE");
  verb.Flag("--ours", options->with_coxcoll,
            "With --mode apply: libcoxcoll may run instead of the MPI library where it was "
            "measured to be faster");
  verb.Text(
          "--shared-folder", options->shared_folder,
          "Folder that all nodes of the job see; its folder coxswain-UID gets the tuning files. On "
          "several nodes, cox needs it to tune MPICH by size (default: COX_SHARED_FOLDER)")
      .Type("FOLDER");
  AddCount(verb, "--limit", options->limit_ms, 1, kMaxLimit_ms,
           "Longest wait for the daemon, in milliseconds (default 200); with --mode apply, "
           "MPI_Init may wait as long again")
      .Type("MS");
  verb.Flag("--print", options->print,
            "Print `export` and `unset` lines, as a TaskProlog of Slurm does, and start "
            "nothing; exit code 4 if coxd does not answer");
  verb.Flag("-q,--quiet", options->quiet, "Do not print what cox sets");
  verb.Rest("command", options->command, "Command that starts the job, after --").Type("COMMAND");
  verb.Do(
      [options](Session& session) {
        // The parser takes a word in brackets for a list, so the words behind -- bypass it.
        const std::vector<std::string>& words = session.words();
        const auto mark = std::find(words.begin(), words.end(), "--");
        if (mark != words.end()) options->command.assign(mark + 1, words.end());
        return Run(session, *options);
      },
      [options](const GlobalOptions& global) {
        if (options->with_coxcoll && options->mode != "apply") {
          return UsageError("--ours needs --mode apply");
        }
        if (options->canary_ratio > 0 && options->mode == "off") {
          return UsageError("--canary needs --mode tune, observe or apply");
        }
        if (options->command.empty() && !options->print) {
          return MissingOption("a command to run, after --,");
        }
        // The parser has taken those words of the command that look like options of cox.
        const auto& words = global.words;
        if (!options->command.empty() &&
            std::find(words.begin(), words.end(), "--") == words.end()) {
          return UsageError(absl::StrCat("write -- before the command: `cox run -- ",
                                         options->command.front(), " ...`"));
        }
        return absl::OkStatus();
      });
}

}  // namespace cox::cli
