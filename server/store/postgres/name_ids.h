// The ids of names in one table (job, source, machine), remembered between transactions.
//
// Thread rule: the writer's thread. Failure rule: as session.h.
#ifndef COX_STORE_POSTGRES_NAME_IDS_H_
#define COX_STORE_POSTGRES_NAME_IDS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "store/postgres/connection/session.h"

namespace cox::store::postgres {

class NameIds {
 public:
  // `adds`: unknown names get a row.
  NameIds(const char* table, bool adds) : table_(table), adds_(adds) {}

  // Notes a name that Resolve() is to find. Its text must live until then.
  void Want(absl::string_view name) {
    if (!ids_.contains(name)) wanted_.insert(name);
  }
  // Finds or adds all wanted names at once.
  absl::Status Resolve(Session& session);
  // 0: there is no such name.
  int64_t Find(absl::string_view name) const {
    const auto it = ids_.find(name);
    return it == ids_.end() ? 0 : it->second;
  }
  size_t size() const { return ids_.size(); }
  void Clear();

 private:
  // Takes the names and ids that `sql` answers for the wanted names; they are wanted no more.
  absl::Status Take(Session& session, const std::string& sql);

  const char* table_;
  bool adds_;
  absl::flat_hash_map<std::string, int64_t> ids_;
  absl::flat_hash_set<absl::string_view> wanted_;
};

}  // namespace cox::store::postgres

#endif  // COX_STORE_POSTGRES_NAME_IDS_H_
