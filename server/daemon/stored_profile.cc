#include "daemon/stored_profile.h"

#include <cstdint>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "model/profile.h"

namespace cox::daemon {

domain::Shape ShapeOf(const store::MachineRecord& record) {
  domain::Shape shape;
  // The store holds only known topologies or none.
  if (const auto topology = domain::ParseTopology(record.topology_kind); topology.ok()) {
    shape.topology = *topology;
  }
  for (const absl::string_view dim : absl::StrSplit(record.topology_dims, 'x', absl::SkipEmpty())) {
    int64_t extent = 0;
    if (absl::SimpleAtoi(dim, &extent)) shape.dims.push_back(extent);
  }
  return shape;
}

domain::Profile ProfileOf(const store::ProfileRecord& record) {
  domain::Profile profile;
  profile.parameters = record.parameters;
  model::LimitPieces(&profile);
  return profile;
}

}  // namespace cox::daemon
