#include "cli/files/machine_toml.h"

#include <cox/v1/machine.pb.h>
#include <google/protobuf/util/time_util.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "cli/output/json_output.h"
#include "cli/resource_names.h"
#include "console/numbers.h"
#include "console/printable.h"
#include "domain/words/refused_value.h"

namespace cox::cli {
namespace {

using Keys = std::initializer_list<absl::string_view>;

constexpr absl::string_view kTopologyKinds[] = {"crossbar",  "bus",  "mesh",     "torus",
                                                "hypercube", "tree", "fat-tree", "dragonfly"};
constexpr absl::string_view kLevels[] = {"self", "node", "socket", "network"};

std::string StrOf(std::string_view text) { return std::string(text.data(), text.size()); }

// Reads one table of the document. The first broken rule sticks.
class TableReader {
 public:
  TableReader(const toml::table* table, std::string path, absl::string_view file,
              absl::Status* status)
      : table_(table), path_(std::move(path)), file_(file), status_(status) {}

  void Allow(Keys keys) {
    for (const auto& [key, node] : *table_) {
      const std::string name = StrOf(key.str());
      if (std::find(keys.begin(), keys.end(), name) == keys.end()) {
        Fail(name, key.source().begin.line,
             absl::StrCat("is not known here; known are ", absl::StrJoin(keys, ", ")));
      }
    }
  }

  bool Has(absl::string_view key) const { return Find(key) != nullptr; }

  std::string Text(absl::string_view key, bool required) {
    const toml::node* node = Required(key, required);
    if (node == nullptr) return "";
    if (const auto* text = node->as_string()) return text->get();
    Fail(key, LineOf(node), "must be a string");
    return "";
  }

  int64_t Count(absl::string_view key) {
    const toml::node* node = Required(key, true);
    if (node == nullptr) return 0;
    return CountOf(key, *node);
  }

  int64_t CountOf(absl::string_view key, const toml::node& node) {
    const auto* value = node.as_integer();
    if (value != nullptr && value->get() >= 1 && value->get() <= console::kMaxCount)
      return value->get();
    Fail(key, LineOf(&node), absl::StrCat("must be an integer within 1..", console::kMaxCount));
    return 0;
  }

  double Number(absl::string_view key, bool required) {
    const toml::node* node = Required(key, required);
    if (node == nullptr) return 0;
    const auto value = node->is_number() ? node->value<double>() : std::nullopt;
    if (value.has_value() && std::isfinite(*value) && *value >= 0) return *value;
    Fail(key, LineOf(node), "must be a finite number >= 0");
    return 0;
  }

  const toml::node* Find(absl::string_view key) const {
    return table_->get(std::string_view(key.data(), key.size()));
  }

  void Fail(absl::string_view key, int64_t line, absl::string_view rule) {
    if (!status_->ok()) return;
    const std::string where = path_.empty() ? std::string(key) : absl::StrCat(path_, ".", key);
    *status_ = absl::InvalidArgumentError(absl::StrCat(file_, ":", line, ": ", where, ": ", rule));
  }

  int64_t LineOf(const toml::node* node) const {
    const toml::node& at = node == nullptr ? *table_ : *node;
    return std::max<int64_t>(1, at.source().begin.line);
  }

 private:
  const toml::node* Required(absl::string_view key, bool required) {
    const toml::node* node = Find(key);
    if (node == nullptr && required) Fail(key, LineOf(nullptr), "is missing");
    return node;
  }

  const toml::table* table_;
  std::string path_;
  absl::string_view file_;
  absl::Status* status_;
};

void ReadTopology(TableReader reader, v1::Topology& topology) {
  reader.Allow({"kind", "dims"});
  topology.set_kind(reader.Text("kind", true));
  if (std::find(std::begin(kTopologyKinds), std::end(kTopologyKinds), topology.kind()) ==
      std::end(kTopologyKinds)) {
    reader.Fail("kind", reader.LineOf(reader.Find("kind")),
                absl::StrCat("must be one of ", absl::StrJoin(kTopologyKinds, ", ")));
  }
  const toml::node* dims = reader.Find("dims");
  if (dims == nullptr) return;
  if (!dims->is_array()) {
    reader.Fail("dims", reader.LineOf(dims), "must be an array of integers");
    return;
  }
  for (const toml::node& extent : *dims->as_array()) {
    topology.add_dims(reader.CountOf("dims", extent));
  }
}

void ReadParameter(TableReader reader, v1::Parameter& parameter) {
  reader.Allow(
      {"model", "level", "name", "value", "unit", "stderr", "source", "above", "relation"});
  parameter.set_model(reader.Text("model", true));
  parameter.set_level(reader.Text("level", true));
  if (std::find(std::begin(kLevels), std::end(kLevels), parameter.level()) == std::end(kLevels)) {
    reader.Fail("level", reader.LineOf(reader.Find("level")),
                "must be self, node, socket or network");
  }
  parameter.set_name(reader.Text("name", true));
  parameter.set_value(reader.Number("value", true));
  parameter.set_unit(reader.Text("unit", false));
  parameter.set_stderr(reader.Number("stderr", false));
  parameter.set_source(reader.Text("source", false));
  parameter.set_above(reader.Number("above", false));
  parameter.set_relation(reader.Text("relation", false));
  if (!parameter.relation().empty() && parameter.relation() != "<=" &&
      parameter.relation() != "sum") {
    reader.Fail("relation", reader.LineOf(reader.Find("relation")), "must be \"<=\" or \"sum\"");
  }
}

void ReadMachine(TableReader reader, v1::Machine& machine) {
  const std::string name = reader.Text("name", true);
  if (absl::Status valid = CheckMachineName(name); !valid.ok()) {
    reader.Fail("name", reader.LineOf(reader.Find("name")), valid.message());
  }
  machine.set_name(MachineName(name));
  machine.set_nodes(reader.Count("nodes"));
  machine.set_cores_per_node(reader.Count("cores_per_node"));
}

// A TOML float has a point or an exponent.
std::string Float(double value) {
  std::string text = console::FormatDouble(value);
  if (!absl::StrContains(text, ".") && !absl::StrContains(text, "e")) text += ".0";
  return text;
}

}  // namespace

absl::Status ReadMachineToml(absl::string_view text, absl::string_view file, v1::Machine& machine,
                             v1::Profile& profile) {
  machine.Clear();
  profile.Clear();
  absl::Status status;
  toml::table document;
  try {
    document = toml::parse(std::string_view(text.data(), text.size()));
  } catch (const toml::parse_error& error) {
    const int64_t line = error.source().begin.line;
    const std::string reason = domain::ExplainRefusedValue(text, line);
    return absl::InvalidArgumentError(
        absl::StrCat(file, ":", line, ": ", reason.empty() ? StrOf(error.description()) : reason));
  }
  TableReader root(&document, "", file, &status);
  root.Allow({"machine", "profile"});
  const toml::node* machine_node = root.Find("machine");
  if (machine_node == nullptr || !machine_node->is_table()) {
    root.Fail("machine", root.LineOf(machine_node),
              "is missing: [machine] with name, nodes and "
              "cores_per_node is needed");
    return status;
  }
  TableReader machine_reader(machine_node->as_table(), "machine", file, &status);
  machine_reader.Allow({"name", "nodes", "cores_per_node", "topology"});
  ReadMachine(machine_reader, machine);
  if (const toml::node* topology = machine_reader.Find("topology"); topology != nullptr) {
    if (topology->is_table()) {
      ReadTopology(TableReader(topology->as_table(), "machine.topology", file, &status),
                   *machine.mutable_topology());
    } else {
      machine_reader.Fail("topology", machine_reader.LineOf(topology), "must be a table");
    }
  }
  const toml::node* profile_node = root.Find("profile");
  if (profile_node == nullptr) return status;
  if (!profile_node->is_table()) {
    root.Fail("profile", root.LineOf(profile_node), "must be a table");
    return status;
  }
  TableReader profile_reader(profile_node->as_table(), "profile", file, &status);
  profile_reader.Allow({"parameter"});
  const toml::node* parameters = profile_reader.Find("parameter");
  if (parameters == nullptr) return status;
  if (!parameters->is_array_of_tables()) {
    profile_reader.Fail("parameter", profile_reader.LineOf(parameters),
                        "must be tables: [[profile.parameter]]");
    return status;
  }
  for (const toml::node& parameter : *parameters->as_array()) {
    ReadParameter(TableReader(parameter.as_table(), "profile.parameter", file, &status),
                  *profile.add_parameters());
  }
  return status;
}

std::string WriteMachineToml(const v1::Machine& machine, const v1::Profile& profile) {
  std::string out = absl::StrFormat("[machine]\nname = %s\nnodes = %d\ncores_per_node = %d\n",
                                    JsonString(BareMachine(machine.name())), machine.nodes(),
                                    machine.cores_per_node());
  if (!machine.topology().kind().empty()) {
    absl::StrAppend(&out, "\n[machine.topology]\nkind = ", JsonString(machine.topology().kind()),
                    "\n");
    if (machine.topology().dims_size() > 0) {
      absl::StrAppend(&out, "dims = [", absl::StrJoin(machine.topology().dims(), ", "), "]\n");
    }
  }
  if (profile.parameters_size() > 0) {
    absl::StrAppend(&out, "\n# Profile ", profile.revision(), ", ",
                    v1::Provenance_Name(profile.provenance()), ": ",
                    console::Printable(profile.note()), "\n");
  }
  for (const v1::Parameter& parameter : profile.parameters()) {
    absl::StrAppend(&out, "\n[[profile.parameter]]\nmodel = ", JsonString(parameter.model()),
                    "\nlevel = ", JsonString(parameter.level()),
                    "\nname = ", JsonString(parameter.name()),
                    "\nvalue = ", Float(parameter.value()), "\n");
    if (!parameter.unit().empty()) {
      absl::StrAppend(&out, "unit = ", JsonString(parameter.unit()), "\n");
    }
    if (parameter.stderr() != 0) {
      absl::StrAppend(&out, "stderr = ", Float(parameter.stderr()), "\n");
    }
    if (parameter.above() != 0) {
      absl::StrAppend(&out, "above = ", Float(parameter.above()), "\n");
    }
    if (!parameter.relation().empty()) {
      absl::StrAppend(&out, "relation = ", JsonString(parameter.relation()), "\n");
    }
    if (!parameter.source().empty()) {
      absl::StrAppend(&out, "source = ", JsonString(parameter.source()), "\n");
    }
  }
  return out;
}

}  // namespace cox::cli
