#include "service/convert/drift.h"

#include <cmath>

#include "absl/strings/string_view.h"
#include "domain/level.h"
#include "service/convert/timestamp.h"

namespace cox::service {

void FromRecord(const domain::Drift& record, v1::Drift* drift) {
  drift->set_id(record.id);
  drift->set_library(record.scope.library);
  drift->set_collective(record.scope.collective);
  const absl::string_view level = domain::LevelName(record.scope.level);
  drift->set_level(level.data(), level.size());
  drift->set_min_block_bytes(record.scope.min_block_bytes);
  drift->set_max_block_bytes(record.scope.max_block_bytes);
  drift->set_first_observation_id(record.first_id);
  drift->set_last_observation_id(record.last_id);
  drift->set_factor(std::exp(record.log_factor));
  drift->set_observation_count(record.observation_count);
  *drift->mutable_create_time() = ToTimestamp(record.create_time_us);
  for (const domain::DriftEvidence& evidence : record.evidence) {
    v1::DriftEvidence* out = drift->add_evidence();
    out->set_library(evidence.scenario.library);
    out->set_collective(evidence.scenario.collective);
    out->set_algorithm(evidence.scenario.algorithm);
    out->set_nodes(evidence.scenario.nodes);
    out->set_ppn(evidence.scenario.ppn);
    out->set_ranks(evidence.scenario.ranks);
    out->set_block_bytes(evidence.scenario.block_bytes);
    out->set_factor(std::exp(evidence.log_factor));
    out->set_observation_count(evidence.observation_count);
  }
}

}  // namespace cox::service
