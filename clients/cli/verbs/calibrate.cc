// cox calibrate: measure a machine (or take a file), and let the daemon learn its parameters.
#include <cox/v1/calibration.pb.h>
#include <cox/v1/machine.pb.h>
#include <cox/v1/observation.pb.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <system_error>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "cli/exit_code.h"
#include "cli/files/import.h"
#include "cli/files/interchange.h"
#include "cli/files/record_file.h"
#include "cli/measure/bench_environment.h"
#include "cli/measure/guided.h"
#include "cli/measure/measurement.h"
#include "cli/measure/round_plan.h"
#include "cli/methods.h"
#include "cli/options/shared_options.h"
#include "cli/output/json_output.h"
#include "cli/output/profile_view.h"
#include "cli/output/warning_kinds.h"
#include "cli/resource_names.h"
#include "cli/run/become_command.h"
#include "cli/verbs/verbs.h"
#include "console/child_process.h"
#include "console/launcher.h"
#include "console/table.h"
#include "console/units.h"
#include "domain/collective.h"
#include "domain/parse_collective.h"
#include "domain/words/counted.h"
#include "files/file_io.h"
#include "strategy/benchmarked.h"

namespace cox::cli {
namespace {

// Fitting many samples takes longer than an ordinary call.
constexpr double kFitTimeout_s = 300;
constexpr double kMinute_s = 60;

struct CalibrateOptions {
  std::string machine;
  std::string from;
  bool skip_bad = false;
  bool quick = false;
  bool with_coxcoll = false;
  std::string mpi;
  std::string launcher;
  std::vector<int64_t> ranks;
  std::vector<int64_t> block_bytes;      // of collectives; empty: the effort's own
  std::vector<std::string> collectives;  // empty: cox-bench's own
  double budget_s = 0;                   // 0: the effort's own
  std::vector<std::string> hosts;        // that jobs are placed on; empty: by the launcher
};

absl::Status GetMachine(Session& session, const std::string& name, v1::Machine& machine) {
  v1::GetMachineRequest request;
  request.set_name(MachineName(name));
  return session.connection().Call(kGetMachine, request, machine);
}

// All rows, or the first that is bad; with skip_bad the bad ones are listed on err(). `lines`:
// where each sample is in the file.
absl::Status ReadSamples(Session& session, const CalibrateOptions& options, const std::string& file,
                         v1::CalibrateRequest& request, std::vector<int64_t>& lines) {
  absl::StatusOr<std::unique_ptr<RecordFile>> records = RecordFile::Open(file, SampleColumns());
  if (!records.ok()) return records.status();
  if (const std::string note = (*records)->IgnoredNote(); !note.empty()) session.Note(note);
  v1::Sample sample;
  while ((*records)->Next()) {
    absl::Status status = ParseSample(**records, options.machine, sample);
    if (!(*records)->read_error().ok()) return (*records)->read_error();
    if (status.ok()) {
      *request.add_samples() = sample;
      lines.push_back((*records)->line());
    } else if (options.skip_bad) {
      session.Note(absl::StrCat(status.message(), " (skipped)"));
    } else {
      return absl::InvalidArgumentError(absl::StrCat(
          status.message(), "; nothing was submitted: correct the file, or use --skip-bad"));
    }
  }
  if (request.samples_size() == 0) {
    return absl::InvalidArgumentError(absl::StrCat(file, ": has no rows to learn from"));
  }
  return absl::OkStatus();
}

// coxd names a sample by its number, "samples[7].kind: ...", people look for it by its line.
absl::Status AtLine(const absl::Status& status, const std::string& file,
                    const std::vector<int64_t>& lines) {
  absl::string_view text = status.message();
  if (!absl::ConsumePrefix(&text, "samples[")) return status;
  const size_t end = text.find("].");
  size_t number = 0;
  if (end == text.npos || !absl::SimpleAtoi(text.substr(0, end), &number) ||
      number >= lines.size()) {
    return status;
  }
  return WithMessage(status, absl::StrCat(file, ":", lines[number], ":", text.substr(end + 2)));
}

absl::Status SubmitSamples(Session& session, const CalibrateOptions& options,
                           const std::string& file, v1::CalibrateResponse& response) {
  v1::CalibrateRequest request;
  request.set_parent(MachineName(options.machine));
  request.set_request_id(NewUuid());
  std::vector<int64_t> lines;
  absl::Status status = ReadSamples(session, options, file, request, lines);
  if (!status.ok()) return status;
  session.connection().AllowAtLeast(kFitTimeout_s);
  return AtLine(session.connection().Call(kCalibrate, request, response), file, lines);
}

// Fits shown without --wide.
constexpr size_t kShownFits = 5;

void PrintFits(const v1::CalibrateResponse& response, bool all, std::ostream& out) {
  console::Table table({{"MODEL"},
                        {"LEVEL"},
                        {"SAMPLES", console::Align::kRight},
                        {"MEDIAN ERROR", console::Align::kRight},
                        {"REGIMES FROM", console::Align::kLeft, console::Fit::kFold},
                        {"NOT IDENTIFIED", console::Align::kLeft, console::Fit::kFold}});
  for (const v1::ModelFit& fit : response.fits()) {
    if (!all && table.size() >= kShownFits) break;
    table.Add({fit.model(), fit.level(), absl::StrCat(fit.sample_count()),
               absl::StrFormat("%.1f %%", 100 * fit.median_relative_error()),
               absl::StrJoin(fit.breakpoints_bytes(), ", ",
                             [](std::string* out, double bytes) {
                               absl::StrAppend(out,
                                               console::FormatBytes(static_cast<int64_t>(bytes)));
                             }),
               absl::StrJoin(fit.not_identified(), ", ")});
  }
  if (table.empty()) return;
  table.Print(out);
  const size_t left = static_cast<size_t>(response.fits_size()) - table.size();
  if (left > 0)
    out << "and " << left << domain::Plural(static_cast<int64_t>(left), " more fit", " more fits")
        << " (--wide shows all)\n";
}

void PrintWarnings(Session& session, const v1::CalibrateResponse& response) {
  const std::vector<std::string> all(response.warnings().begin(), response.warnings().end());
  const std::vector<std::string> shown = session.wide() ? all : FoldWarnings(all);
  for (const std::string& warning : shown) session.Note(absl::StrCat("warning: ", warning));
  if (shown.size() < all.size()) {
    session.Note(absl::StrCat("note: --wide shows all ", all.size(), " warnings"));
  }
}

// `stored`: null where no collectives were submitted.
void Print(Session& session, const std::string& machine, const v1::CalibrateResponse& response,
           const ImportResult* stored) {
  PrintWarnings(session, response);
  if (session.json()) {
    v1::ReportObservationsResponse report;
    report.set_stored_count(stored == nullptr ? 0 : stored->stored_count);
    std::string text;
    AppendMergedJson(report, response, text);
    session.out() << text << '\n';
    return;
  }
  PrintProfileTitle(response.profile(), session.out());
  PrintFits(response, session.wide(), session.out());
  session.out() << domain::Counted(response.profile().parameters_size(), "parameter")
                << ": `cox profile show " << BareMachine(machine) << "`\n";
  if (stored != nullptr) {
    session.out() << domain::Counted(stored->stored_count, "timing") << " of collectives stored\n";
  }
}

// The active revision of the machine's parameters; 0: none, or not known.
int64_t ActiveRevision(Session& session, const std::string& machine) {
  v1::GetProfileRequest request;
  request.set_name(absl::StrCat(MachineName(machine), "/profiles/-"));
  v1::Profile profile;
  const absl::Status status = session.connection().Call(kGetProfile, request, profile);
  return status.ok() ? profile.revision() : 0;
}

// The newest revision, active or not; 0: none, or not known.
int64_t NewestRevision(Session& session, const std::string& machine) {
  v1::ListProfilesRequest request;
  request.set_parent(MachineName(machine));
  request.set_page_size(1);
  v1::ListProfilesResponse newest;
  const absl::Status status = session.connection().Call(kListProfiles, request, newest);
  return status.ok() && !newest.profiles().empty() ? newest.profiles(0).revision() : 0;
}

// Two calibrations at once slow each other down. `known`: the newest revision when this one began.
void WarnOfAnother(Session& session, const std::string& machine, int64_t known) {
  v1::ListProfilesRequest request;
  request.set_parent(MachineName(machine));
  v1::ListProfilesResponse newest;
  // Without an answer, the calibration itself fails or was alone.
  if (!session.connection().Call(kListProfiles, request, newest).ok()) return;
  for (const v1::Profile& profile : newest.profiles()) {
    if (profile.revision() <= known) return;
    if (profile.provenance() != v1::PROVENANCE_CALIBRATED) continue;
    session.Note(absl::StrCat(
        "warning: another calibration of ", machine, " made revision ", profile.revision(),
        " while this one measured; if both ran on the same nodes, their times "
        "are too long: calibrate again, one at a time"));
    return;
  }
}

// A machine has one set of parameters, so a calibration with one MPI also moves the prices of the
// others. `before`: the revision that was active.
void NoteReplaced(Session& session, const CalibrateOptions& options, int64_t before,
                  const v1::Profile& profile) {
  if (before == 0 || profile.revision() == 0) return;
  // A pinned revision stays active. Rows of this calibration may have refined the new one already.
  if (ActiveRevision(session, options.machine) == before) return;
  session.Note(absl::StrCat(
      "note: revision ", profile.revision(), " replaces the parameters of revision ", before,
      " for all MPI libraries, so advice that rests on prices may change. To go back: `cox profile "
      "rollback ",
      options.machine, "@", before, "`; to keep revision ", before,
      " during later calibrations: `cox profile pin ", options.machine, "@", before, "`"));
}

absl::Status CalibrateFromFile(Session& session, const CalibrateOptions& options) {
  const int64_t before = ActiveRevision(session, options.machine);
  v1::CalibrateResponse response;
  absl::Status status = SubmitSamples(session, options, options.from, response);
  if (!status.ok()) return status;
  Print(session, options.machine, response, nullptr);
  NoteReplaced(session, options, before, response.profile());
  return absl::OkStatus();
}

// Registers an unknown machine with the shape of the jobs.
absl::Status CreateMachine(Session& session, const CalibrateOptions& options,
                           const Measured& measured) {
  v1::CreateMachineRequest request;
  request.set_request_id(NewUuid());
  v1::Machine* machine = request.mutable_machine();
  machine->set_name(MachineName(options.machine));
  machine->set_nodes(measured.nodes);
  // The default launcher stays on this computer and may put more ranks on it than it has cores.
  machine->set_cores_per_node(options.launcher.empty()
                                  ? console::UsableCores()
                                  : std::max(measured.ppn, console::UsableCores()));
  v1::Machine created;
  absl::Status status = session.connection().Call(kCreateMachine, request, created);
  if (!status.ok()) return status;
  session.Note(absl::StrCat("note: registered ", options.machine, " with ",
                            domain::Counted(created.nodes(), "node"), " of ",
                            domain::Counted(created.cores_per_node(), "core"),
                            "; if it has another shape: `cox machine delete ", options.machine,
                            "`, `cox machine import FILE`, and calibrate again"));
  return absl::OkStatus();
}

// What coxd made of the measurements.
struct Submitted {
  v1::CalibrateResponse profile;
  ImportResult stored;
};

// The files of measurements in the folder of a run.
std::string SamplesFile(const std::string& folder) { return folder + "/p2p.csv"; }
std::string ObservationsFile(const std::string& folder) { return folder + "/observations.csv"; }

absl::Status WriteFiles(const Measured& measured, const std::string& folder) {
  absl::Status status = ReplaceFile(ObservationsFile(folder), measured.observations_csv);
  if (!status.ok() || measured.samples_csv.empty()) return status;
  return ReplaceFile(SamplesFile(folder), measured.samples_csv);
}

// Hands the measurements in the folder to coxd.
absl::Status Submit(Session& session, const CalibrateOptions& options, const Measured& measured,
                    const std::string& folder, Submitted& submitted) {
  if (!measured.samples_csv.empty()) {
    v1::Machine machine;
    absl::Status status = GetMachine(session, options.machine, machine);
    if (absl::IsNotFound(status)) status = CreateMachine(session, options, measured);
    if (!status.ok()) return status;
    status = SubmitSamples(session, options, SamplesFile(folder), submitted.profile);
    if (!status.ok()) return status;
  }
  ImportOptions import;
  import.file = ObservationsFile(folder);
  import.is_own = true;
  // The folder's name is this run's own.
  import.source = folder.substr(folder.rfind('/') + 1);
  return ImportObservations(session, import, submitted.stored);
}

// `why` with the commands that hand the measurements in the folder to coxd later. The import comes
// first because it registers an unknown machine.
absl::Status WithCommands(const absl::Status& why, const CalibrateOptions& options,
                          const Measured& measured, const std::string& folder) {
  std::vector<std::string> commands;
  commands.push_back(measured.observation_count > 0
                         ? absl::StrCat("`cox observations import ", ObservationsFile(folder), "`")
                         : "`cox machine import FILE` if the machine is new");
  if (!measured.samples_csv.empty()) {
    commands.push_back(
        absl::StrCat("`cox calibrate ", options.machine, " --from ", SamplesFile(folder), "`"));
  }
  return WithMessage(why, absl::StrCat(why.message(), "; the measurements are in ", folder,
                                       ": later ", absl::StrJoin(commands, ", then ")));
}

absl::Status Measure(Session& session, const CalibrateOptions& options,
                     const MeasureOptions& measure, const StorePart& store,
                     const KeepMeasured& keep) {
  // libcoxcoll has no choice of its own that others could be worth more than.
  if (options.budget_s > 0 && !options.with_coxcoll) {
    const GuidedOptions guided = {measure, options.budget_s, options.hosts};
    return MeasureByWorth(session, guided, store, keep);
  }
  Measured measured;
  absl::Status status = MeasureMachine(session, measure, measured);
  return status.ok() ? store(measured) : keep(status, measured);
}

// The numbers of ranks to measure with.
std::vector<int64_t> RankCounts(const CalibrateOptions& options) {
  if (!options.ranks.empty()) return options.ranks;
  if (!options.hosts.empty()) return UsualRanks(static_cast<int64_t>(options.hosts.size()));
  const int64_t cores = std::max<int64_t>(2, console::UsableCores());
  const bool is_fixed =
      !options.launcher.empty() && !console::HasPlaceholder({options.launcher}, "{ranks}");
  if (options.budget_s > 0 && !is_fixed && !options.with_coxcoll) return UsualRanks(cores);
  return {cores};
}

absl::Status CalibrateByMeasuring(Session& session, const CalibrateOptions& options) {
  // Find out whether the daemon is there before minutes of measuring.
  v1::Machine machine;
  absl::Status status = GetMachine(session, options.machine, machine);
  if (!status.ok() && !absl::IsNotFound(status)) return status;
  MeasureOptions measure;
  measure.machine = options.machine;
  measure.rank_counts = RankCounts(options);
  absl::StatusOr<console::MpiPrograms> programs = console::FindMpiPrograms(
      options.mpi, options.launcher,
      *std::max_element(measure.rank_counts.begin(), measure.rank_counts.end()));
  if (absl::IsNotFound(programs.status())) {
    return absl::NotFoundError(
        absl::StrCat(programs.status().message(), ", or measure elsewhere and use --from FILE"));
  }
  if (!programs.ok()) return programs.status();
  measure.programs = *std::move(programs);
  status = CheckUntuned(measure.programs.mpi, measure.programs.launcher, FirstEnvironment());
  if (!status.ok()) return status;
  const bool is_short = options.quick || (options.budget_s > 0 && options.budget_s < kMinute_s);
  measure.effort = EffortOf(is_short, measure.rank_counts.size());
  measure.with_coxcoll = options.with_coxcoll;
  if (options.with_coxcoll) AddCoxcollCollectives(measure.effort);
  if (options.budget_s > 0) LimitTime(options.budget_s, measure.rank_counts.size(), measure.effort);
  if (!options.collectives.empty()) measure.effort.collectives = options.collectives;
  if (!options.block_bytes.empty()) {
    measure.effort.collective_sizes = absl::StrJoin(options.block_bytes, ",");
  }
  const absl::StatusOr<std::string> folder = MakeTemporaryFolder("calibrate");
  if (!folder.ok()) return folder.status();
  int64_t before = ActiveRevision(session, options.machine);
  int64_t newest = NewestRevision(session, options.machine);
  Submitted submitted;
  bool is_kept = false;
  // A signal must not end cox between the answer of coxd and the note about it.
  const console::SignalScope signals;
  const KeepMeasured keep = [&](const absl::Status& why, const Measured& measured) {
    if (measured.samples_csv.empty() && measured.observation_count == 0) return why;
    is_kept = WriteFiles(measured, *folder).ok();
    return is_kept ? WithCommands(why, options, measured, *folder) : why;
  };
  const StorePart store = [&](const Measured& measured) {
    if (!measured.samples_csv.empty()) {
      WarnOfAnother(session, options.machine, newest);
      before = ActiveRevision(session, options.machine);
      newest = NewestRevision(session, options.machine);
    }
    absl::Status stored = WriteFiles(measured, *folder);
    if (stored.ok()) stored = Submit(session, options, measured, *folder, submitted);
    return stored.ok() ? stored : keep(stored, measured);
  };
  status = Measure(session, options, measure, store, keep);
  if (!is_kept) {
    std::error_code error;
    std::filesystem::remove_all(*folder, error);
  }
  if (status.ok()) {
    Print(session, options.machine, submitted.profile, &submitted.stored);
  } else if (submitted.stored.stored_count > 0) {
    session.Note(absl::StrCat("note: coxd has stored ",
                              domain::Counted(submitted.stored.stored_count, "timing"),
                              " of this calibration"));
  }
  NoteReplaced(session, options, before, submitted.profile.profile());
  return status;
}

// "allgather, allreduce, ..."
std::string BenchmarkedNames() {
  std::vector<std::string> names;
  for (int i = 0; i < domain::kCollectiveCount; ++i) {
    const auto collective = static_cast<domain::Collective>(i);
    if (strategy::IsBenchmarked(collective)) names.emplace_back(domain::CollectiveName(collective));
  }
  return absl::StrJoin(names, ", ");
}

// Jobs can only be placed where the launcher is told the nodes, and have the number of ranks that
// it is told.
absl::Status CheckLauncher(const CalibrateOptions& options) {
  if (!options.launcher.empty() && options.ranks.size() > 1 &&
      !console::HasPlaceholder({options.launcher}, "{ranks}")) {
    return UsageError("--ranks: of several numbers, the launcher needs {ranks}");
  }
  if (options.hosts.empty()) {
    for (const char* placeholder : {"{nodes}", "{ppn}", "{hosts}"}) {
      if (console::HasPlaceholder({options.launcher}, placeholder)) {
        return UsageError(absl::StrCat("--launcher: ", placeholder, " needs --hosts"));
      }
    }
    return absl::OkStatus();
  }
  if (options.hosts.size() < 2) return UsageError("--hosts: name at least two nodes");
  if (std::set<std::string>(options.hosts.begin(), options.hosts.end()).size() <
      options.hosts.size()) {
    return UsageError("--hosts: a node is named twice");
  }
  if (!console::HasPlaceholder({options.launcher}, "{hosts}")) {
    return UsageError("--hosts: the launcher needs {hosts} for their names");
  }
  if (options.with_coxcoll) return UsageError("--hosts: cannot be used with --ours");
  return absl::OkStatus();
}

}  // namespace

void AddCalibrateVerb(Verb app) {
  Verb verb = app.Sub("calibrate", "Measure a machine with cox-bench and learn its parameters");
  verb.Footer(
      "Examples:\n"
      "  cox calibrate laptop --quick\n"
      "  cox calibrate cluster --launcher \"srun -N 4 --ntasks-per-node 16\"\n"
      "  cox calibrate cluster --mpi mpich --launcher \"mpiexec.hydra -n {ranks}\" --ranks 4,16\n"
      "  cox calibrate cluster --ours --bytes 64..64k:*4\n"
      "  cox calibrate cluster --budget 10m --collectives bcast,allreduce --bytes 4k,64k\n"
      "  cox calibrate cluster --budget 10m --ranks 32,48,64 --hosts n1,n2,n3,n4 --launcher \\\n"
      "      \"srun --exact -N {nodes} -n {ranks} -w {hosts}\"\n"
      "  cox calibrate cluster --from p2p.csv\n"
      "Jobs time messages, then collectives with the library's default, then with each of its\n"
      "algorithms. That takes about three minutes, with --quick less than one. --ours also times "
      "the\n"
      "algorithms of libcoxcoll, which takes half as long again. cox registers an unknown\n"
      "machine with the nodes and cores of these jobs. A file for --from has the columns\n"
      "machine,kind,level,pattern,pairs,block_bytes,time_s, as `cox-bench p2p` writes them.");
  auto options = std::make_shared<CalibrateOptions>();
  AddMachineArgument(verb, options->machine);
  Option from =
      verb.Text("--from", options->from, "Read samples from this file instead of measuring")
          .Type("FILE");
  verb.Flag("--skip-bad", options->skip_bad, "List bad rows of the file and use the others")
      .Needs(from);
  verb.Flag("--quick", options->quick, "Under a minute on two cores; less precise").Excludes(from);
  verb.Flag("--ours", options->with_coxcoll,
            "Also measure libcoxcoll, with gather and scatter, so that `cox run --mode apply "
            "--ours` knows where it is faster")
      .Excludes(from);
  const Option budget =
      verb.Parsed(
              "--budget",
              [options](const std::string& text) {
                absl::Duration time;
                if (!absl::ParseDuration(text, &time) || time < absl::Seconds(1) ||
                    time > absl::Hours(24)) {
                  return UsageError(absl::StrCat(
                      "is '", text, "', must be a time from 1s to 24h, as 90s or 10m"));
                }
                options->budget_s = absl::ToDoubleSeconds(time);
                return absl::OkStatus();
              },
              "Measure for at most about this long, 90s or 10m, in rounds: coxd names what is "
              "worth "
              "most. Ends earlier if another minute should save less than 1 %")
          .Type("TIME")
          .Excludes(from);
  verb.Words("--hosts", options->hosts,
             "Nodes to place jobs on, comma-separated, neighbours beside each other: jobs that "
             "need fewer nodes run at once on disjoint nodes. The launcher has {hosts}")
      .Type("NAMES")
      .Needs(budget)
      .Excludes(from);
  verb.Words("--collectives", options->collectives,
             "Measure only these collectives, comma-separated (default: all that cox-bench times)")
      .Type("COLLECTIVES")
      .Excludes(from);
  verb.Text("--mpi", options->mpi, "The MPI to measure with (default: the first found)")
      .OneOf(console::KnownMpis())
      .Excludes(from);
  verb.Text("--launcher", options->launcher,
            "Command that starts an MPI job, such as \"mpirun -n {ranks}\" (default: the MPI's "
            "mpirun)")
      .Type("COMMAND")
      .Excludes(from);
  AddRanksOption(verb, options->ranks)
      .Describe("Ranks to measure collectives with, a number or a sweep (default: the cores)")
      .Excludes(from);
  AddBytesOption(verb, options->block_bytes)
      .Describe(
          "Block sizes to measure collectives with, a size or a sweep; on a slow network, large "
          "sizes take most of the time (default: 4 bytes to 1 MiB)")
      .Excludes(from);
  verb.Do(
      [options](Session& session) {
        options->machine = std::string(BareMachine(options->machine));
        return options->from.empty() ? CalibrateByMeasuring(session, *options)
                                     : CalibrateFromFile(session, *options);
      },
      [options](const GlobalOptions&) {
        for (const int64_t ranks : options->ranks) {
          if (ranks < 2) return UsageError("--ranks: at least 2 ranks are needed");
        }
        if (absl::Status launcher = CheckLauncher(*options); !launcher.ok()) return launcher;
        // Before minutes of measuring.
        for (const std::string& name : options->collectives) {
          const auto known = domain::ParseCollective(name);
          if (!known.ok()) {
            return UsageError(absl::StrCat("--collectives: ", known.status().message()));
          }
          if (!strategy::IsBenchmarked(*known)) {
            return UsageError(absl::StrCat("--collectives: cox-bench does not time ", name,
                                           "; it times ", BenchmarkedNames()));
          }
        }
        return absl::OkStatus();
      });
}

}  // namespace cox::cli
