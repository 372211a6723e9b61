// cox profile list | show | pin | unpin | rollback | accept | step
#include <cox/v1/machine.pb.h>
#include <cox/v1/model.pb.h>

#include <limits>
#include <memory>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "cli/files/compact_profile.h"
#include "cli/files/measured_steps.h"
#include "cli/methods.h"
#include "cli/options/shared_options.h"
#include "cli/output/profile_view.h"
#include "cli/resource_names.h"
#include "cli/verbs/verbs.h"
#include "console/printable.h"
#include "console/table.h"
#include "console/units.h"
#include "domain/words/counted.h"
#include "files/file_io.h"

namespace cox::cli {
namespace {

// What waits for an operator, below the table.
void PrintHeld(const std::string& machine, const v1::ListProfilesResponse& answer,
               std::ostream& out) {
  if (!answer.has_held()) return;
  out << console::Printable(absl::StrCat("held back: ", DescribeHeld(answer.held()))) << '\n'
      << "  cox profile accept " << machine << "      makes it the active revision\n"
      << "  cox profile rollback " << machine << "@" << answer.held().base_revision()
      << "  drops it\n";
}

absl::Status List(Session& session, const std::string& machine, int64_t limit) {
  v1::ListProfilesResponse all;
  v1::ListProfilesRequest request;
  request.set_parent(MachineName(machine));
  request.set_page_size(static_cast<int32_t>(limit > 0 && limit < 500 ? limit : 500));
  do {
    v1::ListProfilesResponse page;
    absl::Status status = session.connection().Call(kListProfiles, request, page);
    if (!status.ok()) return status;
    request.set_page_token(page.next_page_token());
    all.mutable_profiles()->MergeFrom(page.profiles());
    if (page.has_held()) *all.mutable_held() = page.held();
  } while (!request.page_token().empty() && (limit == 0 || all.profiles_size() < limit));
  if (limit > 0 && all.profiles_size() > limit) {
    all.mutable_profiles()->DeleteSubrange(static_cast<int>(limit),
                                           all.profiles_size() - static_cast<int>(limit));
  }
  if (session.json()) {
    session.PrintJson(all);
    return absl::OkStatus();
  }
  if (all.profiles_size() == 0) {
    session.Note(
        absl::StrCat(machine, " has no profile yet; `cox calibrate ", machine, "` makes one"));
    return absl::OkStatus();
  }
  console::Table table({{"REVISION", console::Align::kRight},
                        {""},
                        {"PROVENANCE"},
                        {"PARAMETERS", console::Align::kRight, console::Fit::kDrop},
                        {"ADDED"},
                        {"NOTE", console::Align::kLeft, console::Fit::kFold}});
  for (const v1::Profile& profile : all.profiles()) {
    table.Add({absl::StrCat("@", profile.revision()), profile.active() ? "*" : "",
               ProvenanceText(profile.provenance()), absl::StrCat(profile.parameters_size()),
               TimeText(profile.create_time()), profile.note()});
  }
  table.Print(session.out());
  PrintHeld(machine, all, session.out());
  return absl::OkStatus();
}

absl::Status Print(Session& session, const v1::Profile& profile) {
  if (session.json()) {
    session.PrintJson(profile);
  } else {
    PrintProfile(profile, session.out());
  }
  return absl::OkStatus();
}

absl::Status PrintCompact(Session& session, const v1::Profile& profile) {
  if (session.json()) {
    return absl::InvalidArgumentError("--compact is a file of its own form: without --json");
  }
  const absl::StatusOr<std::string> text = CompactProfile(profile);
  if (text.ok()) session.out() << *text;
  return text.status();
}

absl::Status Show(Session& session, const std::string& name, bool compact) {
  v1::GetProfileRequest request;
  request.set_name(name);
  v1::Profile profile;
  absl::Status status = session.connection().Call(kGetProfile, request, profile);
  if (!status.ok()) return status;
  return compact ? PrintCompact(session, profile) : Print(session, profile);
}

// Prints the active revision in one line.
absl::Status Tell(Session& session, const v1::Profile& profile, absl::string_view what) {
  if (session.json()) {
    session.PrintJson(profile);
  } else {
    session.out() << what << " @" << profile.revision() << "; `cox profile show "
                  << console::Printable(
                         BareMachine(profile.name().substr(0, profile.name().find("/profiles/"))))
                  << "` lists its " << domain::Counted(profile.parameters_size(), "parameter")
                  << '\n';
  }
  return absl::OkStatus();
}

absl::Status Pin(Session& session, const std::string& name, bool unpin) {
  v1::PinProfileRequest request;
  request.set_name(name);
  v1::Profile profile;
  absl::Status status = session.connection().Call(kPinProfile, request, profile);
  if (!status.ok()) return status;
  return Tell(
      session, profile,
      unpin ? "unpinned; refinement goes on; active is" : "pinned; refinement pauses; active is");
}

absl::Status Rollback(Session& session, const std::string& name) {
  v1::RollbackProfileRequest request;
  request.set_name(name);
  request.set_request_id(NewUuid());
  v1::Profile profile;
  absl::Status status = session.connection().Call(kRollbackProfile, request, profile);
  return status.ok() ? Tell(session, profile, "rolled back; active is") : status;
}

absl::Status Accept(Session& session, const std::string& machine) {
  v1::AcceptProfileRequest request;
  request.set_parent(MachineName(machine));
  v1::Profile profile;
  absl::Status status = session.connection().Call(kAcceptProfile, request, profile);
  return status.ok() ? Tell(session, profile, "accepted; active is") : status;
}

struct StepOptions {
  std::string machine;
  std::string suite;
  std::string kernel;
};

// The parameter of local work: seconds of an operation.
bool IsOperation(absl::string_view level, absl::string_view name) {
  return level == "self" && name == "operation";
}

// The models that have it.
absl::Status ModelsWithWork(Session& session, std::set<std::string>& ids) {
  v1::ListModelsResponse models;
  absl::Status status = session.connection().Call(kListModels, v1::ListModelsRequest(), models);
  for (const v1::Model& model : models.models()) {
    for (const v1::ParameterSpec& spec : model.parameters()) {
      if (IsOperation(spec.level(), spec.name())) ids.insert(model.id());
    }
  }
  return status;
}

// The parameters of `from`, with the measured step in each of the `with_work` models that it has.
void SetStep(const v1::Profile& from, const std::set<std::string>& with_work,
             const MeasuredStep& step, v1::Profile& to) {
  std::set<std::string> models;
  for (const v1::Parameter& parameter : from.parameters()) {
    if (with_work.count(parameter.model()) > 0) models.insert(parameter.model());
    if (!IsOperation(parameter.level(), parameter.name())) *to.add_parameters() = parameter;
  }
  for (const std::string& model : models) {
    v1::Parameter& parameter = *to.add_parameters();
    parameter.set_model(model);
    parameter.set_level("self");
    parameter.set_name("operation");
    parameter.set_value(step.step_s);
    parameter.set_stderr(step.std_error_s);
    parameter.set_source(
        absl::StrCat("cox-bench suite: median of ", step.runs, " runs of ", step.kernels));
  }
}

absl::Status StoreStep(Session& session, const StepOptions& options) {
  const absl::StatusOr<std::string> text = ReadFile(options.suite);
  if (!text.ok()) return text.status();
  const absl::StatusOr<MeasuredStep> step = ReadMeasuredStep(*text, options.kernel);
  if (!step.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(options.suite, ": ", step.status().message()));
  }
  std::set<std::string> with_work;
  absl::Status status = ModelsWithWork(session, with_work);
  if (!status.ok()) return status;
  v1::GetProfileRequest get;
  get.set_name(absl::StrCat(MachineName(options.machine), "/profiles/-"));
  v1::Profile active;
  status = session.connection().Call(kGetProfile, get, active);
  if (!status.ok()) return status;
  v1::CreateProfileRequest create;
  create.set_parent(MachineName(options.machine));
  create.set_request_id(NewUuid());
  v1::Profile& changed = *create.mutable_profile();
  SetStep(active, with_work, *step, changed);
  changed.set_provenance(v1::PROVENANCE_EDITED);
  const std::string time = console::FormatTime(step->step_s);
  changed.set_note(absl::StrCat("a step of local work takes ", time, ": cox-bench suite, ",
                                step->runs, " runs"));
  v1::Profile created;
  status = session.connection().Call(kCreateProfile, create, created);
  if (!status.ok()) return status;
  return Tell(session, created,
              absl::StrCat("a step takes ", time, ", the median of ", step->runs, " runs of ",
                           step->kernels, "; active is"));
}

// The positional "M@REV". Its resource name goes to `name`.
void AddRevisionArgument(Verb app, std::string& name, bool revision_required) {
  app.Parsed(
         revision_required ? "revision" : "profile",
         [&name, revision_required](const std::string& text) {
           absl::StatusOr<std::string> parsed = ProfileName(text, revision_required);
           if (parsed.ok()) name = *parsed;
           return parsed.status();
         },
         revision_required ? "Machine and revision" : "Machine, and revision if not the active one")
      .Type(revision_required ? "MACHINE@REV" : "MACHINE[@REV]")
      .Required();
}

}  // namespace

void AddProfileVerb(Verb app) {
  Verb verb = app.Sub("profile",
                      "List, show, pin, roll back and accept revisions of a machine's parameters");
  verb.NeedsVerb();
  struct ProfileOptions {
    std::string machine;
    std::string name;
    int64_t limit = 50;
    bool compact = false;
  };
  auto options = std::make_shared<ProfileOptions>();

  Verb list = verb.Sub("list", "List a machine's revisions, newest first");
  AddMachineArgument(list, options->machine);
  AddCount(list, "--limit", options->limit, 0, std::numeric_limits<int32_t>::max(),
           "Show at most this many (default 50; 0: all)");
  list.Do([options](Session& session) { return List(session, options->machine, options->limit); });

  Verb show = verb.Sub("show", "Show the parameters of a revision");
  AddRevisionArgument(show, options->name, false);
  show.Flag("--compact", options->compact,
            "Only the parameters by which libcoxcoll selects, as a file for COX_COLL_PROFILE");
  show.Do([options](Session& session) { return Show(session, options->name, options->compact); });

  Verb pin = verb.Sub("pin", "Keep one revision active until it is unpinned");
  AddRevisionArgument(pin, options->name, true);
  pin.Do([options](Session& session) { return Pin(session, options->name, false); });

  Verb unpin = verb.Sub("unpin", "Make the newest revision active again");
  AddMachineArgument(unpin, options->machine);
  unpin.Do([options](Session& session) {
    return Pin(session, absl::StrCat(MachineName(options->machine), "/profiles/-"), true);
  });

  Verb rollback =
      verb.Sub("rollback", "Add a revision that repeats an older one, and make it active");
  AddRevisionArgument(rollback, options->name, true);
  rollback.Do([options](Session& session) { return Rollback(session, options->name); });

  Verb accept = verb.Sub("accept", "Make active what was learned and is held back");
  AddMachineArgument(accept, options->machine);
  accept.Do([options](Session& session) { return Accept(session, options->machine); });

  auto step_options = std::make_shared<StepOptions>();
  Verb step = verb.Sub("step", "Store how long a step of local work takes, for `cox kernel`");
  AddMachineArgument(step, step_options->machine);
  step.Text("--suite", step_options->suite, "What `cox-bench suite -o FILE` wrote")
      .Type("FILE")
      .Required();
  step.Text("--kernel", step_options->kernel,
            "Only the runs of this kernel (default: the median of all)")
      .Type("NAME");
  step.Do([step_options](Session& session) { return StoreStep(session, *step_options); });

  verb.Footer(
      "Learning from jobs is held back if it moves predictions by more than a factor of two\n"
      "from the last revision that a person set. It waits for `accept` or a second source.\n"
      "Examples:\n"
      "  cox profile show cluster\n"
      "  cox profile show cluster --compact > cluster.profile\n"
      "  cox profile rollback cluster@3\n"
      "  cox-bench suite -m cluster -o suite.csv && cox profile step cluster --suite suite.csv");
}

}  // namespace cox::cli
