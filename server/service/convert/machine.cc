#include "service/convert/machine.h"

#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "domain/errors.h"
#include "domain/limits.h"
#include "domain/shape.h"
#include "service/convert/checks.h"
#include "service/convert/provenance.h"
#include "service/convert/timestamp.h"
#include "service/names.h"
#include "strategy/scenario.h"

namespace cox::service {

absl::StatusOr<store::MachineRecord> ToRecord(const v1::Machine& machine) {
  const absl::StatusOr<absl::string_view> name = ParseMachine(machine.name(), "machine.name");
  if (!name.ok()) return name.status();
  store::MachineRecord record;
  record.name = std::string(*name);
  record.nodes = machine.nodes();
  record.cores_per_node = machine.cores_per_node();
  record.topology_kind = machine.topology().kind();
  if (absl::Status checked =
          FirstOf({InRange("machine.nodes", record.nodes, 1, domain::kMaxRanks),
                   InRange("machine.cores_per_node", record.cores_per_node, 1, domain::kMaxRanks)});
      !checked.ok()) {
    return checked;
  }
  if (!record.topology_kind.empty()) {
    const auto topology = domain::ParseTopology(record.topology_kind);
    if (!topology.ok()) return domain::WithFieldPrefix(topology.status(), "machine.");
  }
  for (int i = 0; i < machine.topology().dims_size(); ++i) {
    if (absl::Status checked = InRange(absl::StrCat("machine.topology.dims[", i, "]"),
                                       machine.topology().dims(i), 1, domain::kMaxRanks);
        !checked.ok()) {
      return checked;
    }
  }
  record.topology_dims = absl::StrJoin(machine.topology().dims(), "x");
  return record;
}

void FromRecord(const store::MachineRecord& record, v1::Machine* machine) {
  machine->set_name(MachineName(record.name));
  machine->set_nodes(record.nodes);
  machine->set_cores_per_node(record.cores_per_node);
  if (!record.topology_kind.empty()) machine->mutable_topology()->set_kind(record.topology_kind);
  for (const absl::string_view dim : absl::StrSplit(record.topology_dims, 'x', absl::SkipEmpty())) {
    int64_t extent = 0;
    if (absl::SimpleAtoi(dim, &extent)) machine->mutable_topology()->add_dims(extent);
  }
  *machine->mutable_create_time() = ToTimestamp(record.create_time_us);
  machine->set_pinned_revision(record.pinned_revision);
  machine->set_provenance(ToProvenance(record.provenance));
}

}  // namespace cox::service
