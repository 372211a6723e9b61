#include "cli/app.h"

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/output/completion.h"
#include "cli/output/manual.h"
#include "cli/verbs/verbs.h"
#include "console/numbers.h"

namespace cox::cli {
namespace {

constexpr char kDescription[] =
    "The client of Coxswain: asks coxd what MPI collectives will cost and which algorithms to "
    "use,\n"
    "brings it measurements, and looks after machines and their profiles.";

constexpr char kFooter[] =
    "Exit codes:\n"
    "  0  done\n"
    "  1  failed\n"
    "  2  the command line is wrong\n"
    "  3  not found: a machine, profile or file that was named\n"
    "  4  unavailable: no daemon, or no answer in time\n"
    "  5  refused: what was asked, or a file's content\n"
    "\n"
    "Data goes to stdout, messages to stderr. With --json, field names are the API's and times "
    "are\n"
    "seconds. Each verb explains itself: `cox VERB --help`.";

// 24 days: what fits a wait in milliseconds everywhere.
constexpr double kMaxTimeout_s = 2e6;

void AddGlobalOptions(CLI::App& app, GlobalOptions& options, Action& action) {
  app.add_option("--server", options.server, "The daemon's address: HOST:PORT or unix:PATH")
      ->envname("COX_SERVER")
      ->type_name("ADDR")
      ->capture_default_str();
  app.add_flag("--json", options.json, "One JSON document (or JSON lines) instead of tables");
  app.add_option_function<std::string>(
         "--timeout",
         [&options](const std::string& text) {
           absl::StatusOr<double> parsed = console::ParseNonNegative(text);
           if (!parsed.ok() || *parsed > kMaxTimeout_s) {
             throw CLI::ValidationError(
                 "--timeout", absl::StrCat("is '", text, "', must be seconds within 0..2000000"));
           }
           options.timeout_s = *parsed;
         },
         "Wait so long for each answer, in seconds; 0: without end (default 10)")
      ->type_name("SECONDS");
  app.set_version_flag("--version", "cox " COX_VERSION, "Print the version and leave");
  // For the build: what is installed beside cox comes from this very description.
  app.add_option_function<std::string>("--print-completion",
                                       [&app, &action](const std::string& shell) {
                                         action = [&app, shell](Session& session) {
                                           session.out()
                                               << (shell == "zsh"    ? ZshCompletion(app)
                                                   : shell == "fish" ? FishCompletion(app)
                                                                     : BashCompletion(app));
                                           return absl::OkStatus();
                                         };
                                       })
      ->check(CLI::IsMember({"bash", "zsh", "fish"}))
      ->group("");
  app.add_flag_callback("--print-man",
                        [&app, &action] {
                          action = [&app](Session& session) {
                            session.out() << ManualPage(app, COX_VERSION);
                            return absl::OkStatus();
                          };
                        })
      ->group("");
}

// The deepest verb that was named: "cox machine import".
std::string NamedVerb(const CLI::App& app) {
  std::string path = app.get_name();
  const CLI::App* at = &app;
  while (!at->get_subcommands().empty()) {
    at = at->get_subcommands().front();
    absl::StrAppend(&path, " ", at->get_name());
  }
  return path;
}

}  // namespace

std::unique_ptr<CLI::App> MakeApp(GlobalOptions& options, Action& action) {
  auto app = std::make_unique<CLI::App>(kDescription, "cox");
  // Global options are understood behind the verb as well.
  app->fallthrough();
  app->require_subcommand(0, 1);
  AddGlobalOptions(*app, options, action);
  AddMachineVerb(*app, action);
  AddProfileVerb(*app, action);
  AddCalibrateVerb(*app, action);
  AddStrategiesVerb(*app, action);
  AddModelsVerb(*app, action);
  AddPredictVerb(*app, action);
  AddExplainVerb(*app, action);
  AddPatternVerb(*app, action);
  AddKernelVerb(*app, action);
  AddReduceVerb(*app, action);
  AddRecommendVerb(*app, action);
  AddTuneVerb(*app, action);
  AddRunVerb(*app, action);
  AddAccuracyVerb(*app, action);
  AddObservationsVerb(*app, action);
  AddWatchVerb(*app, action);
  AddDoctorVerb(*app, action);
  // Last: verbs would repeat it.
  app->footer(kFooter);
  return app;
}

int Run(int argc, const char* const* argv, std::ostream& out, std::ostream& err) {
  GlobalOptions options;
  options.words.assign(argv, argv + argc);
  Action action;
  const std::unique_ptr<CLI::App> app = MakeApp(options, action);
  try {
    app->parse(argc, argv);
  } catch (const CLI::Success& asked) {
    // --help or --version.
    return app->exit(asked, out, err);
  } catch (const CLI::ParseError& error) {
    err << "cox: " << error.what() << "; see `" << NamedVerb(*app) << " --help`\n";
    return kExitUsage;
  }
  if (!action) {
    err << "cox: no verb is given; see `cox --help`\n";
    return kExitUsage;
  }
  std::vector<std::string> words(argv, argv + argc);
  if (!words.empty()) words[0] = "cox";
  Session session(options, absl::StrJoin(words, " "), &out, &err);
  absl::Status status = action(session);
  if (status.ok() && !out.flush()) {
    status = absl::DataLossError("the output cannot be written; is the disk full?");
  }
  if (!status.ok()) {
    out.flush();
    session.Note(status.message());
  }
  return ExitCodeOf(status);
}

}  // namespace cox::cli
