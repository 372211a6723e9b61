// cox machine list | show | import | export | delete | undelete
#include <cox/v1/machine.pb.h>
#include <cox/v1/model.pb.h>
#include <cox/v1/observation.pb.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "cli/files/machine_toml.h"
#include "cli/methods.h"
#include "cli/options/shared_options.h"
#include "cli/output/json_output.h"
#include "cli/output/missing_parameters.h"
#include "cli/output/profile_view.h"
#include "cli/resource_names.h"
#include "cli/verbs/verbs.h"
#include "console/numbers.h"
#include "console/printable.h"
#include "console/table.h"
#include "domain/words/counted.h"
#include "files/file_io.h"

namespace cox::cli {
namespace {

absl::Status ListMachines(Session& session) {
  v1::ListMachinesResponse all;
  v1::ListMachinesRequest request;
  request.set_page_size(1000);
  do {
    v1::ListMachinesResponse page;
    absl::Status status = session.connection().Call(kListMachines, request, page);
    if (!status.ok()) return status;
    request.set_page_token(page.next_page_token());
    all.mutable_machines()->MergeFrom(page.machines());
  } while (!request.page_token().empty());
  if (session.json()) {
    session.PrintJson(all);
    return absl::OkStatus();
  }
  if (all.machines_size() == 0) {
    session.Note("no machines yet; `cox machine import FILE` or `cox calibrate NAME` adds one");
    return absl::OkStatus();
  }
  console::Table table({{"MACHINE"},
                        {"NODES", console::Align::kRight},
                        {"CORES/NODE", console::Align::kRight},
                        {"TOPOLOGY"},
                        {"PROVENANCE"},
                        {"PINNED"},
                        {"ADDED", console::Align::kLeft, console::Fit::kDrop}});
  for (const v1::Machine& machine : all.machines()) {
    table.Add({std::string(BareMachine(machine.name())), absl::StrCat(machine.nodes()),
               absl::StrCat(machine.cores_per_node()), TopologyText(machine.topology()),
               ProvenanceText(machine.provenance()),
               machine.pinned_revision() == 0 ? "-" : absl::StrCat("@", machine.pinned_revision()),
               TimeText(machine.create_time())});
  }
  table.Print(session.out());
  return absl::OkStatus();
}

absl::Status Get(Session& session, const std::string& name, v1::Machine& machine) {
  v1::GetMachineRequest request;
  request.set_name(MachineName(name));
  return session.connection().Call(kGetMachine, request, machine);
}

// The active profile; empty where the machine has none.
absl::Status GetActiveProfile(Session& session, const std::string& name, v1::Profile& profile) {
  v1::GetProfileRequest request;
  request.set_name(absl::StrCat(MachineName(name), "/profiles/-"));
  absl::Status status = session.connection().Call(kGetProfile, request, profile);
  if (absl::IsNotFound(status)) {
    profile.Clear();
    return absl::OkStatus();
  }
  return status;
}

absl::Status Show(Session& session, const std::string& name) {
  v1::Machine machine;
  absl::Status status = Get(session, name, machine);
  if (!status.ok()) return status;
  if (session.json()) {
    session.PrintJson(machine);
    return absl::OkStatus();
  }
  v1::Profile profile;
  status = GetActiveProfile(session, name, profile);
  if (!status.ok()) return status;
  session.out() << "machine     " << console::Printable(BareMachine(machine.name())) << '\n'
                << "nodes       " << machine.nodes() << '\n'
                << "cores/node  " << machine.cores_per_node() << '\n'
                << "topology    " << console::Printable(TopologyText(machine.topology())) << '\n'
                << "added       " << TimeText(machine.create_time()) << '\n';
  if (profile.name().empty()) {
    session.out() << "profile     none yet (`cox calibrate "
                  << console::Printable(BareMachine(machine.name())) << "` makes one)\n";
  } else {
    session.out() << "profile     @" << profile.revision() << ", "
                  << ProvenanceText(profile.provenance())
                  << (machine.pinned_revision() != 0 ? ", pinned" : "") << ", "
                  << domain::Counted(profile.parameters_size(), "parameter") << '\n';
  }
  return absl::OkStatus();
}

// A value in another unit than the model's would be wrong by powers of ten: refuse it.
absl::Status CheckUnits(const v1::ListModelsResponse& models, const std::string& file,
                        const v1::Profile& profile) {
  std::map<std::tuple<std::string, std::string, std::string>, std::string> units;
  for (const v1::Model& model : models.models()) {
    for (const v1::ParameterSpec& spec : model.parameters()) {
      units[{model.id(), spec.level(), spec.name()}] = spec.unit();
    }
  }
  for (const v1::Parameter& parameter : profile.parameters()) {
    const auto unit = units.find({parameter.model(), parameter.level(), parameter.name()});
    // The daemon refuses unknown parameters.
    if (parameter.unit().empty() || unit == units.end() || unit->second == parameter.unit()) {
      continue;
    }
    return absl::InvalidArgumentError(
        absl::StrCat(file, ": profile.parameter ", parameter.model(), ".", parameter.level(), ".",
                     parameter.name(), ": unit: is '", parameter.unit(), "', the model takes '",
                     unit->second, "': convert the value"));
  }
  return absl::OkStatus();
}

absl::Status Import(Session& session, const std::string& file) {
  absl::StatusOr<std::string> text = ReadFile(file);
  if (!text.ok()) return text.status();
  v1::CreateMachineRequest create;
  v1::CreateProfileRequest create_profile;
  absl::Status status =
      ReadMachineToml(*text, file, *create.mutable_machine(), *create_profile.mutable_profile());
  if (!status.ok()) return status;
  const bool with_profile = create_profile.profile().parameters_size() > 0;
  std::string missing;
  if (with_profile) {
    v1::ListModelsResponse models;
    status = session.connection().Call(kListModels, v1::ListModelsRequest(), models);
    if (status.ok()) status = CheckUnits(models, file, create_profile.profile());
    if (!status.ok()) return status;
    missing = MissingParameters(models, create_profile.profile());
  }
  create.set_request_id(NewUuid());
  v1::Machine machine;
  absl::Status found = Get(session, std::string(BareMachine(create.machine().name())), machine);
  // Only a machine that was not there before may be removed below.
  if (!found.ok() && !absl::IsNotFound(found)) return found;
  const bool known = found.ok();
  status = session.connection().Call(kCreateMachine, create, machine);
  if (!status.ok()) return status;
  v1::Profile profile;
  if (with_profile) {
    create_profile.set_parent(machine.name());
    create_profile.set_request_id(NewUuid());
    create_profile.mutable_profile()->set_provenance(v1::PROVENANCE_IMPORTED);
    create_profile.mutable_profile()->set_note(
        absl::StrCat("imported from ", file.substr(file.find_last_of('/') + 1)));
    status = session.connection().Call(kCreateProfile, create_profile, profile);
    if (!status.ok()) {
      // All or nothing: a new machine without its profile is removed again.
      v1::DeleteMachineRequest remove;
      remove.set_name(machine.name());
      google::protobuf::Empty removed;
      if (!known) {
        (void)session.connection().Call(kDeleteMachine, remove, removed);
      }
      return status;
    }
  }
  if (!missing.empty()) {
    session.Note(absl::StrCat("warning: ", file, ": no model can predict with this profile: ",
                              missing, "; `cox models` explains the parameters"));
  }
  if (session.json()) {
    session.out() << "{\"machine\":" << ToJson(machine)
                  << ",\"profile\":" << (with_profile ? ToJson(profile) : "null") << "}\n";
    return absl::OkStatus();
  }
  session.out() << console::Printable(BareMachine(machine.name())) << ": "
                << domain::Counted(machine.nodes(), "node") << " of "
                << domain::Counted(machine.cores_per_node(), "core");
  if (with_profile) {
    session.out() << ", profile @" << profile.revision() << " with "
                  << domain::Counted(profile.parameters_size(), "parameter");
  }
  session.out() << '\n';
  return absl::OkStatus();
}

absl::Status Export(Session& session, const std::string& name, const std::string& output) {
  v1::Machine machine;
  absl::Status status = Get(session, name, machine);
  if (!status.ok()) return status;
  v1::Profile profile;
  status = GetActiveProfile(session, name, profile);
  if (!status.ok()) return status;
  std::string text;
  if (session.json()) {
    text = absl::StrCat("{\"machine\":", ToJson(machine),
                        ",\"profile\":", profile.name().empty() ? "null" : ToJson(profile), "}\n");
  } else {
    text = WriteMachineToml(machine, profile);
  }
  if (!output.empty()) return ReplaceFile(output, text);
  session.out() << text;
  return absl::OkStatus();
}

absl::Status Delete(Session& session, const std::string& name) {
  v1::DeleteMachineRequest request;
  request.set_name(MachineName(name));
  google::protobuf::Empty response;
  absl::Status status = session.connection().Call(kDeleteMachine, request, response);
  if (!status.ok()) return status;
  if (session.json()) session.PrintJson(response);
  session.Note(absl::StrCat(BareMachine(name),
                            " and all its profiles and observations are gone; for 30 days `cox "
                            "machine undelete ",
                            BareMachine(name), "` brings them back"));
  return absl::OkStatus();
}

absl::Status Undelete(Session& session, const std::string& name) {
  v1::UndeleteMachineRequest request;
  request.set_name(MachineName(name));
  v1::Machine machine;
  absl::Status status = session.connection().Call(kUndeleteMachine, request, machine);
  if (!status.ok()) return status;
  if (session.json()) session.PrintJson(machine);
  v1::CountObservationsRequest count;
  count.set_machine(std::string(BareMachine(machine.name())));
  v1::CountObservationsResponse counted;
  status = session.connection().Call(kCountObservations, count, counted);
  session.Note(absl::StrCat(
      BareMachine(machine.name()), " is back",
      status.ok()
          ? absl::StrCat(" with ", domain::Counted(counted.observation_count(), "observation"))
          : std::string(),
      "; what was forgotten since it was deleted stays forgotten (`cox audit --machine ",
      BareMachine(machine.name()), "`)"));
  return absl::OkStatus();
}

struct SwitchesOptions {
  std::string machine;
  std::string slurm;
  std::string ibnetdiscover;
  std::string file;
  std::vector<double> tapers;
  std::optional<double> hop_time_s;
};

std::string SwitchesText(const v1::Switches& switches) {
  return absl::StrCat(domain::Counted(switches.node_count(), "node"), " at ",
                      domain::Counted(switches.switch_count(), "switch", "switches"));
}

absl::Status ShowSwitches(Session& session, const v1::Switches& switches) {
  if (session.json()) {
    session.PrintJson(switches);
    return absl::OkStatus();
  }
  session.out() << "# " << SwitchesText(switches) << '\n' << switches.topology_conf();
  return absl::OkStatus();
}

// An error of coxd about the text: the file's name in place of the field's.
absl::Status InFile(const std::string& file, const absl::Status& status) {
  absl::string_view message = status.message();
  if (!absl::ConsumePrefix(&message, "switches: ") && !absl::ConsumePrefix(&message, "text: ")) {
    return status;
  }
  return absl::Status(status.code(), absl::StrCat(file, ": ", message));
}

void WarnOfMoreNodes(Session& session, const std::string& name, const std::string& file,
                     int64_t node_count) {
  v1::Machine machine;
  if (!Get(session, name, machine).ok() || node_count <= machine.nodes()) return;
  session.Note(absl::StrCat("warning: ", file, " describes ", node_count, " nodes, but ",
                            BareMachine(machine.name()), " has ", machine.nodes(),
                            ": is it the file of another machine?"));
}

absl::Status StoreSwitches(Session& session, const SwitchesOptions& options) {
  const bool is_fabric = !options.ibnetdiscover.empty();
  const std::string& other = options.slurm.empty() ? options.file : options.slurm;
  const std::string& file = is_fabric ? options.ibnetdiscover : other;
  absl::StatusOr<std::string> text = ReadFile(file);
  if (!text.ok()) return text.status();
  if (absl::StripAsciiWhitespace(*text).empty()) {
    return absl::FailedPreconditionError(
        absl::StrCat(file, ": is empty; `cox machine switches --help` names files with switches"));
  }
  v1::SetSwitchesRequest request;
  request.set_name(absl::StrCat(MachineName(options.machine), "/switches"));
  request.set_text(*std::move(text));
  request.set_format(is_fabric ? "ibnetdiscover" : "slurm");
  for (const double taper : options.tapers) request.add_taper_ratio(taper);
  request.set_hop_time_s(options.hop_time_s.value_or(0));
  v1::Switches switches;
  absl::Status status = session.connection().Call(kSetSwitches, request, switches);
  if (!status.ok()) return InFile(file, status);
  WarnOfMoreNodes(session, options.machine, file, switches.node_count());
  if (session.json()) {
    session.PrintJson(switches);
    return absl::OkStatus();
  }
  session.out() << options.machine << ": " << SwitchesText(switches) << '\n';
  return absl::OkStatus();
}

bool Stores(const SwitchesOptions& options) {
  return !options.slurm.empty() || !options.ibnetdiscover.empty() || !options.file.empty();
}

absl::Status CheckSwitches(const SwitchesOptions& options) {
  if (Stores(options) || (options.tapers.empty() && !options.hop_time_s.has_value())) {
    return absl::OkStatus();
  }
  return UsageError(absl::StrCat(options.tapers.empty() ? "--hop-time" : "--taper",
                                 " needs --slurm, --ibnetdiscover or --file"));
}

absl::Status DoSwitches(Session& session, const SwitchesOptions& options) {
  if (Stores(options)) return StoreSwitches(session, options);
  v1::GetSwitchesRequest request;
  request.set_name(absl::StrCat(MachineName(options.machine), "/switches"));
  v1::Switches switches;
  absl::Status status = session.connection().Call(kGetSwitches, request, switches);
  return status.ok() ? ShowSwitches(session, switches) : status;
}

absl::Status ParseTapers(const std::string& text, std::vector<double>& tapers) {
  tapers.clear();
  for (const absl::string_view word : absl::StrSplit(text, ',')) {
    const absl::StatusOr<double> taper = console::ParseNonNegative(word);
    if (!taper.ok()) return taper.status();
    if (!(*taper > 0)) return absl::InvalidArgumentError("a taper is above 0");
    tapers.push_back(*taper);
  }
  return absl::OkStatus();
}

void AddSwitchesVerb(Verb machine) {
  Verb verb = machine.Sub("switches", "Store or show which node is at which switch");
  auto options = std::make_shared<SwitchesOptions>();
  AddMachineArgument(verb, options->machine);
  const Option slurm =
      verb.Text("--slurm", options->slurm, "Store the switches of this topology.conf").Type("FILE");
  const Option fabric = verb.Text("--ibnetdiscover", options->ibnetdiscover,
                                  "Store the switches of this output of ibnetdiscover")
                            .Type("FILE")
                            .Excludes(slurm);
  verb.Text("--file", options->file,
            "Store what this verb printed, or the line of a torus or dragonfly")
      .Type("FILE")
      .Excludes(slurm)
      .Excludes(fabric);
  verb.Parsed(
          "--taper",
          [options](const std::string& text) { return ParseTapers(text, options->tapers); },
          "Nodes below for each up-link: of switches with nodes, then of those above "
          "(default 1, or from the links of ibnetdiscover)")
      .Type("RATIOS");
  verb.Parsed(
          "--hop-time",
          [options](const std::string& text) {
            absl::Duration time;
            if (!absl::ParseDuration(text, &time) || time < absl::ZeroDuration()) {
              return absl::InvalidArgumentError("write a time such as 100ns or 1.5us");
            }
            options->hop_time_s = absl::ToDoubleSeconds(time);
            return absl::OkStatus();
          },
          "Time that an up-link, or a link after the first of a torus or dragonfly, adds to a "
          "message, such as 100ns (default 0)")
      .Type("TIME");
  verb.Footer(
      "Without a file it shows what is stored. The line of a torus or dragonfly (groups x rows x\n"
      "routers x nodes):\n"
      "  Torus=4x4x2 Nodes=n[0-31]\n"
      "  Dragonfly=4x1x4x4 Nodes=n[0-63] LocalWidth=1 GlobalWidth=2\n"
      "Examples:\n"
      "  cox machine switches cluster --slurm /etc/slurm/topology.conf --taper 2,1\n"
      "  ibnetdiscover > fabric && cox machine switches cluster --ibnetdiscover fabric\n"
      "  cox predict -m cluster -c alltoall -p 64 -b 1MiB --node-list n[1-16] --node-list "
      "n[1-4,9-12,17-20,25-28]");
  verb.Do([options](Session& session) { return DoSwitches(session, *options); },
          [options](const GlobalOptions&) { return CheckSwitches(*options); });
}

}  // namespace

void AddMachineVerb(Verb app) {
  Verb verb = app.Sub("machine",
                      "List, show, import, export, delete, undelete machines, and their switches");
  verb.NeedsVerb();
  struct MachineOptions {
    std::string machine;
    std::string file;
    std::string output;
  };
  auto options = std::make_shared<MachineOptions>();

  verb.Sub("list", "List all machines").Do(ListMachines);

  Verb show = verb.Sub("show", "Show one machine");
  AddMachineArgument(show, options->machine);
  show.Do([options](Session& session) { return Show(session, options->machine); });

  Verb import_verb =
      verb.Sub("import", "Add a machine, and a profile if there is one, from a file");
  import_verb.Text("file", options->file, "Machine description (TOML)").Type("FILE").Required();
  import_verb.Footer(
      "The file:\n"
      "  [machine]\n"
      "  name = \"cluster\"\n"
      "  nodes = 64\n"
      "  cores_per_node = 48\n"
      "  [machine.topology]      # optional\n"
      "  kind = \"fat-tree\"       # crossbar bus mesh torus hypercube tree fat-tree dragonfly\n"
      "  [[profile.parameter]]   # optional; a model needs all parameters that `cox models` calls\n"
      "                          # needed: hockney alpha and beta, at node and at network\n"
      "  model = \"hockney\"\n"
      "  level = \"network\"\n"
      "  name = \"alpha\"\n"
      "  value = 1.5e-6\n"
      "  stderr = 2e-8");
  import_verb.Do([options](Session& session) { return Import(session, options->file); });

  Verb export_verb =
      verb.Sub("export", "Write a machine and its active profile as a machine description");
  AddMachineArgument(export_verb, options->machine);
  export_verb.Text("-o,--output", options->output, "Write to this file (default: stdout)")
      .Type("FILE");
  export_verb.Do(
      [options](Session& session) { return Export(session, options->machine, options->output); });

  Verb delete_verb = verb.Sub("delete", "Remove a machine with all its profiles and observations");
  AddMachineArgument(delete_verb, options->machine);
  delete_verb.Do([options](Session& session) { return Delete(session, options->machine); });

  Verb undelete = verb.Sub("undelete", "Bring back a machine that was deleted in the last 30 days");
  AddMachineArgument(undelete, options->machine);
  undelete.Do([options](Session& session) { return Undelete(session, options->machine); });

  AddSwitchesVerb(verb);

  verb.Footer(
      "Examples:\n"
      "  cox machine import cluster.toml\n"
      "  cox machine export cluster > cluster.toml");
}

}  // namespace cox::cli
