#include "cli/app.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "cli/exit_code.h"
#include "cli/output/completion.h"
#include "cli/output/json_output.h"
#include "cli/output/manual.h"
#include "cli/verbs/verbs.h"
#include "console/command_words.h"
#include "console/numbers.h"
#include "console/printable.h"
#include "console/table.h"

namespace cox::cli {
namespace {

constexpr char kVersion[] = "cox " COX_VERSION;

constexpr char kDescription[] =
    "The client of Coxswain: asks coxd for predictions and recommendations, sends it "
    "measurements,\n"
    "and manages machines and their profiles.";

constexpr char kNotes[] =
    "\nData goes to stdout, messages to stderr. With --json, field names are the API's, times are\n"
    "seconds, and errors are documents, too: {\"error\": {\"code\", \"exit_code\", "
    "\"message\"}}.\n"
    "Each verb explains itself: `cox VERB --help`.";

// 24 days: what fits a wait in milliseconds everywhere.
constexpr double kMaxTimeout_s = 2e6;

void AddGlobalOptions(Verb root, GlobalOptions& options) {
  root.Text("--server", options.server,
            "The daemon's address: HOST:PORT or unix:PATH; several with commas between them")
      .Environment("COX_SERVER")
      .Type("ADDR")
      .ShowDefault();
  Credentials& credentials = options.credentials;
  root.Text("--token-file", credentials.token_file,
            "A file with a token of `cox token create`, which says who you are")
      .Environment("COX_TOKEN_FILE")
      .Type("FILE");
  root.Text(
          "--munge", credentials.munge.reader,
          "Prove by munge who you are, to a coxd on another node that runs as USER; a Unix socket "
          "needs no proof, so there cox ignores this")
      .Environment("COX_MUNGE")
      .Type("USER");
  root.Text("--munge-socket", credentials.munge.socket,
            "The socket of munged (default: libmunge's)")
      .Environment("COX_MUNGE_SOCKET")
      .Type("FILE");
  root.Text("--server-user", credentials.server_user,
            "The user of coxd: cox trusts a Unix socket of this user, of root and of you only "
            "(default: the user of --munge, else coxswain)")
      .Environment("COX_SERVER_USER")
      .Type("USER");
  root.Text("--tls-ca", credentials.tls_ca, "Use TLS, and trust these certificates (PEM)")
      .Environment("COX_TLS_CA")
      .Type("FILE");
  root.Text("--tls-certificate", credentials.tls_certificate, "Your own certificate (PEM)")
      .Environment("COX_TLS_CERTIFICATE")
      .Type("FILE");
  root.Text("--tls-key", credentials.tls_key, "The private key (PEM) of --tls-certificate")
      .Environment("COX_TLS_KEY")
      .Type("FILE");
  root.Flag("--json", options.json, "One JSON document (or JSON lines) instead of tables");
  root.Flag("--wide", options.wide,
            "Tables of any width with all their rows (default: what fits the terminal)");
  root.Parsed(
          "--timeout",
          [&options](const std::string& text) {
            const absl::StatusOr<double> parsed = console::ParseNonNegative(text);
            if (!parsed.ok() || *parsed > kMaxTimeout_s) {
              return UsageError(absl::StrCat("is '", text, "', must be seconds within 0..2000000"));
            }
            options.timeout_s = *parsed;
            return absl::OkStatus();
          },
          "Wait at most this long for each answer; 0: no limit (default 10)")
      .Type("SECONDS");
}

// For the build: what is installed beside cox comes from the command line's own description.
struct Pages {
  std::string completion;  // the shell
  bool manual = false;
};

void AddPageOptions(Verb root, Pages& pages) {
  root.Text("--print-completion", pages.completion, "").OneOf({"bash", "zsh", "fish"}).Hide();
  root.Flag("--print-man", pages.manual, "").Hide();
}

// Empty where no page is asked for.
std::string PageText(const Pages& pages, const CommandLine& command_line) {
  const std::vector<VerbDescription> verbs = command_line.Describe();
  if (pages.manual) return ManualPage(verbs, COX_VERSION);
  if (pages.completion == "bash") return BashCompletion(verbs);
  if (pages.completion == "zsh") return ZshCompletion(verbs);
  return pages.completion == "fish" ? FishCompletion(verbs) : "";
}

void AddHelpVerb(CommandLine& command_line) {
  auto path = std::make_shared<std::vector<std::string>>();
  const Verb verb = command_line.root().Sub("help", "Explain a verb: `cox help machine import`");
  verb.Rest("verb", *path, "The verb (default: cox itself)").Type("VERB");
  verb.Do(
      [&command_line, path](Session& session) {
        session.out() << *command_line.Help(*path);
        return absl::OkStatus();
      },
      [&command_line, path](const GlobalOptions&) { return command_line.Help(*path).status(); });
}

void AddVersionVerb(Verb root) {
  root.Sub("version", "Print the version").Do([](Session& session) {
    if (session.json()) {
      session.out() << "{\"version\":" << JsonString(COX_VERSION) << "}\n";
    } else {
      session.out() << kVersion << '\n';
    }
    return absl::OkStatus();
  });
}

// With --json a program need not read stderr.
void PrintError(const absl::Status& status, ExitCode exit_code, std::ostream& out) {
  out << "{\"error\":{\"code\":\"" << absl::StatusCodeToString(status.code())
      << "\",\"exit_code\":" << exit_code << ",\"message\":" << JsonString(status.message())
      << "}}\n"
      << std::flush;
}

// Whether the option `name` is among the words, for a command line that cannot be parsed.
bool Has(const std::vector<std::string>& words, const std::string& name) {
  const auto end = std::find(words.begin(), words.end(), "--");
  return std::any_of(words.begin(), end, [&](const std::string& word) {
    return word == name || absl::StartsWith(word, name + "=");
  });
}

// An address in the environment must not keep `cox run` from starting a job: of that the
// connection complains.
absl::Status CheckGivenServer(const GlobalOptions& options) {
  if (!Has(options.words, "--server")) return absl::OkStatus();
  const absl::Status status = Connection::CheckAddress(options.server);
  return status.ok()
             ? status
             : UsageError(absl::StrCat("--server: ", status.message(), "; see `cox --help`"));
}

// Does `action`; the exit code.
int Do(const Action& action, Session& session) {
  absl::Status status = action(session);
  const bool has_output = session.has_output();
  if (status.ok() && !session.out().flush()) {
    status = absl::DataLossError("the output cannot be written; is the disk full?");
  }
  if (!status.ok()) {
    session.out().flush();
    // After other output a second document would be in the way.
    if (session.json() && !has_output) PrintError(status, ExitCodeOf(status), session.out());
    session.Note(status.message());
  }
  return ExitCodeOf(status);
}

}  // namespace

std::unique_ptr<CommandLine> MakeCommandLine(GlobalOptions& options) {
  auto command_line = std::make_unique<CommandLine>("cox", kDescription, kVersion);
  const Verb root = command_line->root();
  AddGlobalOptions(root, options);
  AddMachineVerb(root);
  AddProfileVerb(root);
  AddCalibrateVerb(root);
  AddStrategiesVerb(root);
  AddModelsVerb(root);
  AddPredictVerb(root);
  AddExplainVerb(root);
  AddPatternVerb(root);
  AddKernelVerb(root);
  AddReduceVerb(root);
  AddInferVerb(root);
  AddValidateVerb(root);
  AddRecommendVerb(root);
  AddSuggestVerb(root);
  AddTuneVerb(root);
  AddRunVerb(root);
  AddAccuracyVerb(root);
  AddSavingsVerb(root);
  AddObservationsVerb(root);
  AddTokenVerb(root);
  AddAuditVerb(root);
  AddWatchVerb(root);
  AddDoctorVerb(root);
  AddStoreVerb(root);
  AddHelpVerb(*command_line);
  AddVersionVerb(root);
  root.Footer(absl::StrCat("Exit codes:\n", ExitCodeTable(), kNotes));
  return command_line;
}

int Run(int argc, const char* const* argv, std::ostream& raw_out, std::ostream& err) {
  // Whatever a daemon says, and whichever verb prints it, goes through here.
  console::PrintableOutput out(&raw_out);
  GlobalOptions options;
  options.words.assign(argv, argv + argc);
  const std::unique_ptr<CommandLine> command_line = MakeCommandLine(options);
  Pages pages;
  AddPageOptions(command_line->root(), pages);
  absl::StatusOr<CommandLine::Parsed> parsed = command_line->Parse(argc, argv, options);
  if (parsed.ok()) {
    if (absl::Status status = CheckGivenServer(options); !status.ok()) parsed = status;
  }
  if (!parsed.ok()) {
    if (Has(options.words, "--json")) PrintError(parsed.status(), kExitUsage, out);
    err << "cox: " << parsed.status().message() << '\n';
    return kExitUsage;
  }
  const std::string text = parsed->answer.empty() ? PageText(pages, *command_line) : parsed->answer;
  if (!text.empty()) {
    out << text;
    return out.flush() ? kExitOk : kExitFailed;
  }
  if (!parsed->action) {
    const absl::Status missing = UsageError("no verb is given; see `cox --help`");
    if (options.json) PrintError(missing, kExitUsage, out);
    err << "cox: " << missing.message() << '\n';
    return kExitUsage;
  }
  std::vector<std::string> words = options.words;
  if (!words.empty()) words[0] = "cox";
  if (options.wide) console::LimitWidth(out, 0);
  Session session(options, console::CommandField(words), &out, &err);
  return Do(parsed->action, session);
}

}  // namespace cox::cli
