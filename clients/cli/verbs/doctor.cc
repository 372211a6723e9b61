// cox doctor: what is wrong with this installation, and what to do about it.
#include <cox/v1/history.pb.h>
#include <cox/v1/machine.pb.h>
#include <cox/v1/model.pb.h>
#include <cox/v1/observation.pb.h>
#include <cox/v1/store.pb.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "cli/files/oddities.h"
#include "cli/methods.h"
#include "cli/output/drift_text.h"
#include "cli/output/health.h"
#include "cli/output/json_output.h"
#include "cli/output/missing_parameters.h"
#include "cli/output/profile_view.h"
#include "cli/resource_names.h"
#include "cli/run/prove_obedience.h"
#include "cli/verbs/verbs.h"
#include "console/child_process.h"
#include "console/launcher.h"
#include "console/programs.h"
#include "console/table.h"
#include "domain/words/counted.h"
#include "servers/server_list.h"

namespace cox::cli {
namespace {

// A clock that needs a system call costs about a microsecond; the agent reads it twice per call.
constexpr double kSlowClock_s = 200e-9;
// Clocks of two computers may differ by this much before doctor warns.
constexpr int64_t kClockSlack_s = 60;
constexpr size_t kNamedMachines = 5;

enum class Result { kOk, kWarn, kFail };

constexpr const char* kResultNames[] = {"ok", "warn", "fail"};

struct Finding {
  std::string check;
  Result result = Result::kOk;
  std::string detail;
  std::string advice;  // empty where all is well
};

class Doctor {
 public:
  explicit Doctor(Session& session) : session_(session) {}

  const std::vector<Finding>& findings() const { return findings_; }

  void ExamineAll() {
    if (ExamineDaemon()) {
      ExamineVersion();
      ExamineReports();
      ExamineMachines();
      ExamineObservations();
    }
    for (const std::string& mpi : console::KnownMpis()) {
      if (interrupted_.ok()) ExamineMpi(mpi);
    }
    if (interrupted_.ok()) ExamineClock();
  }
  // CANCELLED after Ctrl-C.
  const absl::Status& interrupted() const { return interrupted_; }

 private:
  void Add(std::string check, Result result, std::string detail, std::string advice = "") {
    findings_.push_back({std::move(check), result, std::move(detail), std::move(advice)});
  }

  // Whether the daemon answers, so that the further checks make sense: it goes on answering
  // questions while it cannot write.
  bool ExamineDaemon() {
    const std::string& server = session_.connection().server();
    ExamineEachServer(server);
    const absl::Status connected = session_.connection().Connect();
    if (absl::IsPermissionDenied(connected)) {
      Add("daemon", Result::kFail, std::string(connected.message()),
          "ask who runs coxd for access; if coxd runs as another user, name him with "
          "--server-user");
      return false;
    }
    if (!connected.ok()) {
      Add("daemon", Result::kFail, absl::StrCat("nothing answers at ", server),
          "start it (`coxd --data DIR`), or name its address with --server or COX_SERVER");
      return false;
    }
    const absl::Status health = CheckHealth(session_.connection(), "");
    const bool is_writable = health.ok() || absl::IsUnimplemented(health) || ExamineStore();
    if (health.ok()) {
      Add("daemon", Result::kOk, absl::StrCat("serves at ", server));
    } else if (!is_writable) {
      Add("daemon", Result::kFail, absl::StrCat("at ", server, ": ", health.message()),
          "it serves again when its store works: see the line above");
    } else {
      Add("daemon", Result::kFail, absl::StrCat("at ", server, ": ", health.message()),
          absl::IsUnimplemented(health)
              ? "something else than coxd listens there: name coxd's address"
              : "it is starting or ending, or has just recovered: see its log");
    }
    return health.ok();
  }

  // Whether the daemon's writes work; says what does not.
  bool ExamineStore() {
    v1::GetStoreStatusResponse response;
    const absl::Status status =
        session_.connection().Call(kGetStoreStatus, v1::GetStoreStatusRequest(), response);
    if (!response.backup_problem().empty()) {
      Add("backups", Result::kWarn,
          absl::StrCat("the last one failed: ", response.backup_problem()),
          "`cox store backup` tries again at once");
    }
    const auto code = static_cast<absl::StatusCode>(response.problem_code());
    if (!status.ok() || code == absl::StatusCode::kOk) return true;
    Add("store", Result::kFail, absl::StrCat("writes fail: ", response.problem()), AdviceFor(code));
    return false;
  }

  // What to do when writes fail with this code.
  static const char* AdviceFor(absl::StatusCode code) {
    static constexpr struct {
      absl::StatusCode code;
      const char* advice;
    } kAdvice[] = {
        {absl::StatusCode::kResourceExhausted,
         "free space on the disk of coxd's data directory (`cox store status` names it); coxd then "
         "goes on by itself"},
        {absl::StatusCode::kDataLoss,
         "stop coxd, restore a backup (`cox store restore BACKUP --data DIR`), start coxd; `cox "
         "store status` "
         "lists the backups"},
        {absl::StatusCode::kUnavailable,
         "check the disk, or the PostgreSQL server, that holds coxd's data; coxd then goes on by "
         "itself"},
    };
    for (const auto& row : kAdvice) {
      if (row.code == code) return row.advice;
    }
    return "see coxd's log";
  }

  // The daemons of the list that do not answer.
  void ExamineEachServer(const std::string& list) {
    const absl::StatusOr<std::vector<std::string>> servers = servers::ParseServers(list);
    if (!servers.ok() || servers->size() == 1) return;
    for (const std::string& server : *servers) {
      Connection connection(server, session_.connection().timeout_s(),
                            session_.connection().credentials());
      const absl::Status health = CheckHealth(connection, "");
      if (health.ok()) continue;
      Add("daemon", Result::kWarn, absl::StrCat("at ", server, ": ", health.message()),
          "start it, or take its address out of --server and COX_SERVER");
    }
  }

  void ExamineVersion() {
    const absl::Status status =
        session_.connection().Call(kListModels, v1::ListModelsRequest(), models_);
    if (!status.ok()) {
      Add("version", Result::kFail, std::string(status.message()), "see the daemon's log");
      return;
    }
    const std::string& version = session_.connection().server_version();
    if (version == COX_VERSION) {
      Add("version", Result::kOk, absl::StrCat("cox and coxd are ", version));
      return;
    }
    Add("version", Result::kWarn,
        absl::StrCat("cox is " COX_VERSION ", coxd is ", version.empty() ? "not known" : version),
        "install the same version everywhere, then restart coxd");
  }

  // An empty batch passes all checks of a report and changes nothing.
  void ExamineReports() {
    if (!ExamineStore()) return;
    v1::ReportObservationsResponse response;
    const absl::Status status =
        session_.connection().Call(kReportObservations, v1::ReportObservationsRequest(), response);
    if (status.ok()) {
      Add("store", Result::kOk, "accepts observations");
    } else if (absl::IsPermissionDenied(status)) {
      Add("store", Result::kOk, "works; you may not report observations (`cox token whoami`)");
    } else {
      Add("store", Result::kFail, std::string(status.message()), "see coxd's log");
    }
  }

  void ExamineMachines() {
    v1::ListMachinesRequest request;
    request.set_page_size(1000);
    Incomplete incomplete;
    int64_t machine_count = 0;
    int64_t newest_s = 0;
    do {
      v1::ListMachinesResponse page;
      absl::Status status = session_.connection().Call(kListMachines, request, page);
      for (int i = 0; status.ok() && i < page.machines_size(); ++i) {
        status = ExamineMachine(page.machines(i), incomplete, newest_s);
        if (status.ok()) status = ExamineDrifts(page.machines(i).name());
        if (status.ok()) status = ExamineHeld(page.machines(i).name());
        ++machine_count;
      }
      if (!status.ok()) {
        Add("machines", Result::kFail, std::string(status.message()), "see the daemon's log");
        return;
      }
      request.set_page_token(page.next_page_token());
    } while (!request.page_token().empty());
    ReportMachines(machine_count, incomplete);
    if (newest_s > absl::ToUnixSeconds(absl::Now()) + kClockSlack_s) {
      Add("time", Result::kWarn,
          absl::StrCat("the newest profile is from the future: ",
                       TimeText(absl::FromUnixSeconds(newest_s))),
          "set the clocks of this computer and the daemon's (NTP)");
    } else {
      Add("time", Result::kOk, "this computer's clock agrees with the daemon's history");
    }
  }

  // coxd stores no row later than its own clock, so that one was ahead. Looks at the row stored
  // last.
  void ExamineTimeOf(const v1::MachineState& state) {
    const absl::Time at = TimeOf(state.last_observation_time());
    if (!state.has_last_observation_time() || at <= absl::Now() + kRowClockSlack) return;
    const absl::string_view name = BareMachine(state.name());
    Add("time", Result::kWarn,
        absl::StrCat(name,
                     ": the observation that was stored last is from the future: ", TimeText(at)),
        "check the clock of coxd's host: it is behind now, or was ahead when the row came");
  }

  // Machines that coxd can predict nothing for.
  struct Incomplete {
    std::vector<std::string> without_profile;
    std::vector<std::string> without_parameters;  // "x1 (hockney needs node.alpha)"
  };

  absl::Status ExamineMachine(const v1::Machine& machine, Incomplete& incomplete,
                              int64_t& newest_s) {
    v1::GetProfileRequest request;
    request.set_name(absl::StrCat(machine.name(), "/profiles/-"));
    v1::Profile profile;
    absl::Status status = session_.connection().Call(kGetProfile, request, profile);
    if (absl::IsNotFound(status)) {
      incomplete.without_profile.emplace_back(BareMachine(machine.name()));
      return absl::OkStatus();
    }
    const std::string missing = MissingParameters(models_, profile);
    if (!missing.empty()) {
      incomplete.without_parameters.push_back(
          absl::StrCat(BareMachine(machine.name()), " (", missing, ")"));
    }
    newest_s = std::max<int64_t>(newest_s, profile.create_time().seconds());
    return status;
  }

  // Time of the last profile that is not a refinement; 0: none.
  absl::StatusOr<absl::Time> LastMeasured(const std::string& machine) {
    v1::ListProfilesRequest request;
    request.set_parent(machine);
    request.set_page_size(500);
    do {
      v1::ListProfilesResponse page;
      absl::Status status = session_.connection().Call(kListProfiles, request, page);
      if (!status.ok()) return status;
      for (const v1::Profile& profile : page.profiles()) {
        if (profile.provenance() != v1::PROVENANCE_REFINED) return TimeOf(profile.create_time());
      }
      request.set_page_token(page.next_page_token());
    } while (!request.page_token().empty());
    return absl::UnixEpoch();
  }

  static absl::Time TimeOf(const google::protobuf::Timestamp& time) {
    return absl::FromUnixSeconds(time.seconds()) + absl::Nanoseconds(time.nanos());
  }

  // Drifts since the machine was last measured, at most a page of them.
  absl::Status ExamineDrifts(const std::string& machine) {
    v1::ListDriftsRequest request;
    request.set_parent(machine);
    v1::ListDriftsResponse response;
    absl::Status status = session_.connection().Call(kListDrifts, request, response);
    // An older daemon knows none.
    if (absl::IsUnimplemented(status)) return absl::OkStatus();
    if (!status.ok() || response.drifts().empty()) return status;
    const absl::StatusOr<absl::Time> measured = LastMeasured(machine);
    if (!measured.ok()) return measured.status();
    const auto since = [&](const v1::Drift& drift) {
      return TimeOf(drift.create_time()) >= *measured;
    };
    const auto count = std::count_if(response.drifts().begin(), response.drifts().end(), since);
    if (count == 0) return absl::OkStatus();
    Add("drift", Result::kWarn,
        absl::StrCat(BareMachine(machine), ": ", DescribeDrift(response.drifts(0)),
                     count > 1 ? absl::StrCat(", and ", count - 1, " before") : std::string()),
        absl::StrCat(
            "coxd learns the new times; if the change is permanent, measure again: `cox calibrate ",
            BareMachine(machine), "`"));
    return absl::OkStatus();
  }

  // Learning that waits for an operator.
  absl::Status ExamineHeld(const std::string& machine) {
    v1::ListProfilesRequest request;
    request.set_parent(machine);
    request.set_page_size(1);
    v1::ListProfilesResponse response;
    absl::Status status = session_.connection().Call(kListProfiles, request, response);
    if (!status.ok() || !response.has_held()) return status;
    const absl::string_view name = BareMachine(machine);
    Add("held back", Result::kWarn, absl::StrCat(name, ": ", DescribeHeld(response.held())),
        absl::StrCat("`cox profile accept ", name, "`, or drop it: `cox profile rollback ", name,
                     "@", response.held().base_revision(), "`"));
    return absl::OkStatus();
  }

  // The first of the names.
  static std::string SomeOf(const std::vector<std::string>& names) {
    const size_t named = std::min(names.size(), kNamedMachines);
    return absl::StrCat(
        absl::StrJoin(names.begin(), names.begin() + static_cast<ptrdiff_t>(named), ", "),
        named < names.size() ? ", ..." : "");
  }

  void ReportMachines(int64_t machine_count, const Incomplete& incomplete) {
    if (machine_count == 0) {
      Add("machines", Result::kWarn, "none yet", "`cox calibrate NAME` measures this one");
      return;
    }
    const std::vector<std::string>& bare = incomplete.without_profile;
    if (!bare.empty()) {
      Add("machines", Result::kWarn,
          absl::StrCat(bare.size(), " of ", machine_count, " without a profile: ", SomeOf(bare)),
          absl::StrCat("`cox calibrate ", bare.front(), "`, or import parameters"));
    }
    const std::vector<std::string>& lacking = incomplete.without_parameters;
    if (!lacking.empty()) {
      Add("machines", Result::kWarn,
          absl::StrCat(lacking.size(), " of ", machine_count,
                       " with a profile that no model can use: ", SomeOf(lacking)),
          "import a profile with these parameters (`cox models` explains them), or `cox calibrate "
          "NAME`");
    }
    if (bare.empty() && lacking.empty()) {
      Add("machines", Result::kOk, absl::StrCat(machine_count, ", each with a profile"));
    }
  }

  // Of the machines that the caller sees.
  void ExamineObservations() {
    int64_t count = 0;
    int64_t dropped_count = 0;
    v1::ListMachineStatesRequest request;
    request.set_page_size(1000);
    do {
      v1::ListMachineStatesResponse page;
      const absl::Status status = session_.connection().Call(kListMachineStates, request, page);
      if (!status.ok()) {
        Add("observations", Result::kFail, std::string(status.message()), "see the daemon's log");
        return;
      }
      for (const v1::MachineState& state : page.states()) {
        count += state.observation_count();
        dropped_count += state.dropped_count();
        ExamineTimeOf(state);
      }
      request.set_page_token(page.next_page_token());
    } while (!request.page_token().empty());
    if (dropped_count > 0) {
      Add("observations", Result::kWarn,
          absl::StrCat(count, ", and ", domain::Counted(dropped_count, "timing"),
                       domain::Plural(dropped_count, " is", " are"),
                       " missing: dropped by agents, or refused by a full coxd"),
          "coxd was down or too slow: import the agents' spool files; or a machine has too many "
          "scenarios: raise machine-scenarios");
    } else {
      Add("observations", Result::kOk, absl::StrCat(count));
    }
  }

  void ExamineMpi(const std::string& mpi) {
    const std::string launcher = console::FindLauncher(mpi);
    const std::string bench = console::FindBench(mpi);
    const std::string agent = console::FindAgent(mpi);
    if (launcher.empty() && bench.empty() && agent.empty()) {
      Add(mpi, Result::kOk, "not installed");
      return;
    }
    std::vector<std::string> missing;
    if (launcher.empty()) missing.push_back("mpirun in PATH");
    if (bench.empty()) missing.push_back(absl::StrCat("cox-bench.", mpi));
    if (agent.empty()) missing.push_back(absl::StrCat("libcoxagent-", mpi, ".so"));
    if (!missing.empty()) {
      Add(mpi, Result::kWarn, absl::StrCat("lacks ", absl::StrJoin(missing, ", ")),
          "install what is missing; building needs the MPI's development package");
      return;
    }
    console::ChildCommand command;
    command.words = {bench, "--version"};
    command.limit_s = 20;
    const absl::StatusOr<console::ChildResult> said = console::RunChild(command);
    if (absl::IsCancelled(said.status())) {
      interrupted_ = said.status();
      return;
    }
    const std::string version = said.ok() && said->exit_code == 0
                                    ? std::string(absl::StripAsciiWhitespace(said->out))
                                    : std::string();
    if (version != COX_VERSION) {
      Add(mpi, Result::kWarn,
          absl::StrCat(bench, version.empty() ? " does not start" : absl::StrCat(" is ", version)),
          version.empty() ? "run it by hand to see why; the MPI library may be missing"
                          : "install the same version as cox (" COX_VERSION ")");
      return;
    }
    Add(mpi, Result::kOk, absl::StrCat(launcher, ", ", bench, ", ", agent));
  }

  void ExamineClock() {
    constexpr int kReads = 20000;
    timespec now;
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < kReads; ++i) clock_gettime(CLOCK_MONOTONIC, &now);
    const double read_s =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / kReads;
    const std::string detail = absl::StrFormat("reading it takes %.0f ns", 1e9 * read_s);
    if (read_s <= kSlowClock_s) {
      Add("clock", Result::kOk, detail);
      return;
    }
    Add("clock", Result::kWarn, detail,
        "short collectives are timed badly here: choose a faster source in "
        "/sys/devices/system/clocksource/clocksource0 (tsc)");
  }

  Session& session_;
  absl::Status interrupted_;
  v1::ListModelsResponse models_;
  std::vector<Finding> findings_;
};

void Print(Session& session, const std::vector<Finding>& findings) {
  if (!session.json()) {
    console::Table table({{"CHECK"},
                          {"RESULT"},
                          {"DETAIL", console::Align::kLeft, console::Fit::kFold},
                          {"WHAT TO DO", console::Align::kLeft, console::Fit::kFold}});
    for (const Finding& finding : findings) {
      table.Add({finding.check, kResultNames[static_cast<int>(finding.result)], finding.detail,
                 finding.advice.empty() ? "-" : finding.advice});
    }
    table.Print(session.out());
    return;
  }
  session.out() << "{\"checks\":["
                << absl::StrJoin(findings, ",",
                                 [](std::string* out, const Finding& finding) {
                                   absl::StrAppend(out, "{\"check\":", JsonString(finding.check),
                                                   ",\"result\":\"",
                                                   kResultNames[static_cast<int>(finding.result)],
                                                   "\",\"detail\":", JsonString(finding.detail),
                                                   ",\"advice\":", JsonString(finding.advice), "}");
                                 })
                << "]}\n";
}

absl::Status Examine(Session& session) {
  Doctor doctor(session);
  doctor.ExamineAll();
  Print(session, doctor.findings());
  if (!doctor.interrupted().ok()) return doctor.interrupted();
  std::vector<std::string> failed;
  for (const Finding& finding : doctor.findings()) {
    if (finding.result == Result::kFail) failed.push_back(finding.check);
  }
  if (failed.empty()) return absl::OkStatus();
  return absl::UnknownError(absl::StrCat("something is wrong: ", absl::StrJoin(failed, ", ")));
}

}  // namespace

void AddDoctorVerb(Verb app) {
  Verb verb = app.Sub("doctor", "Check this installation and say what to do about each problem");
  verb.Footer(
      "Checks the daemon (reachable, serving, same version, able to store), its machines,\n"
      "each MPI (launcher, cox-bench, agent), and the clock. Each line is ok, warn or fail,\n"
      "with what to do. Exit code 1: a check failed; warnings do not change it.\n"
      "\n"
      "With --library: tests that this MPI obeys tuning files. Runs a job of two ranks per\n"
      "collective, with a tuning file that makes the job fail if MPI obeys it. Needs no daemon.\n"
      "Exit code 1 unless all obey. Examples:\n"
      "  cox doctor --library openmpi-4.1\n"
      "  cox doctor --library mpich-4.0 --launcher \"srun --mpi=pmi2 -n {ranks}\"");
  auto options = std::make_shared<ObedienceOptions>();
  const Option library =
      verb.Text("--library", options->library, "Test that this MPI library obeys tuning files")
          .Type("LIBRARY");
  verb.Text("--launcher", options->launcher,
            "Command that starts an MPI job, such as \"mpirun -n {ranks}\" (default: the MPI's "
            "mpirun)")
      .Type("COMMAND")
      .Needs(library);
  verb.Number("--job-limit", options->job_limit_s, 1, 86400, "Seconds after which a job is ended")
      .Type("SECONDS")
      .ShowDefault()
      .Needs(library);
  verb.Do([options](Session& session) {
    return options->library.empty() ? Examine(session) : ProveObedience(session, *options);
  });
}

}  // namespace cox::cli
