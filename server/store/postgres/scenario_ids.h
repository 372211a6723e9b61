// The ids and current epochs of scenarios, remembered between transactions.
//
// Thread rule: the writer's thread. Failure rule: as session.h.
#ifndef COX_STORE_POSTGRES_SCENARIO_IDS_H_
#define COX_STORE_POSTGRES_SCENARIO_IDS_H_

#include <cstddef>
#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "domain/cell_key.h"
#include "store/postgres/connection/session.h"
#include "store/postgres/name_ids.h"

namespace cox::store::postgres {

struct ScenarioId {
  int64_t machine_id = 0;
  int64_t scenario_id = 0;
  int64_t epoch = 0;  // of the next observation
};

class ScenarioIds {
 public:
  // Notes a scenario that Resolve() is to find. Its key must live until then.
  void Want(const domain::ScenarioKey& key) {
    if (!ids_.contains(key)) wanted_.try_emplace(key);
  }
  // Finds or adds all wanted scenarios at once. `machines` knows their machines.
  absl::Status Resolve(Session& session, const NameIds& machines);
  // Of a scenario that was resolved.
  const ScenarioId& At(const domain::ScenarioKey& key) const { return ids_.at(key); }
  size_t size() const { return ids_.size(); }
  void Clear();

 private:
  struct KeyHash {
    size_t operator()(const domain::ScenarioKey& key) const;
  };
  using Ids = absl::flat_hash_map<domain::ScenarioKey, ScenarioId, KeyHash>;
  Ids ids_;
  Ids wanted_;
};

}  // namespace cox::store::postgres

#endif  // COX_STORE_POSTGRES_SCENARIO_IDS_H_
