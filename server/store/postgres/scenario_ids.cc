#include "store/postgres/scenario_ids.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/hash/hash.h"
#include "absl/strings/str_cat.h"
#include "store/postgres/connection/query.h"
#include "store/postgres/rows/cell_rows.h"

namespace cox::store::postgres {
namespace {

constexpr const char* kColumns =
    "machine_id, library, collective, algorithm, nodes, ppn, ranks, block_bytes, type_bytes";
constexpr const char* kArrays =
    "unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::bigint[],"
    " $7::bigint[], $8::bigint[], $9::bigint[])";

// The columns of keys, as arrays.
struct ScenarioColumns {
  std::vector<int64_t> machine_ids;
  std::vector<std::string> texts[3];
  std::vector<int64_t> numbers[5];

  void Add(const domain::ScenarioKey& key, int64_t machine_id) {
    machine_ids.push_back(machine_id);
    int column = 0;
    for (const std::string* text : {&key.library, &key.collective, &key.algorithm}) {
      texts[column++].push_back(*text);
    }
    column = 0;
    for (const int64_t number : {key.nodes, key.ppn, key.ranks, key.block_bytes, key.type_bytes}) {
      numbers[column++].push_back(number);
    }
  }
  Query& BindTo(Query& query) const {
    query.BindAll(machine_ids);
    for (const auto& column : texts) query.BindAll(column);
    for (const auto& column : numbers) query.BindAll(column);
    return query;
  }
};

}  // namespace

size_t ScenarioIds::KeyHash::operator()(const domain::ScenarioKey& key) const {
  return absl::HashOf(key.machine, key.library, key.collective, key.algorithm, key.nodes, key.ppn,
                      key.ranks, key.block_bytes, key.type_bytes);
}

absl::Status ScenarioIds::Resolve(Session& session, const NameIds& machines) {
  if (wanted_.empty()) return absl::OkStatus();
  ScenarioColumns columns;
  std::vector<const domain::ScenarioKey*> keys;
  for (const auto& [key, id] : wanted_) {
    columns.Add(key, machines.Find(key.machine));
    keys.push_back(&key);
  }
  Query add(session, absl::StrCat("INSERT INTO scenario (", kColumns, ") SELECT * FROM ", kArrays,
                                  " ON CONFLICT DO NOTHING"));
  if (absl::Status status = columns.BindTo(add).Run(); !status.ok()) return status;
  Query find(session,
             absl::StrCat("SELECT k.n, s.machine_id, s.scenario_id, (SELECT count(*) FROM drift d"
                          " WHERE ",
                          kDriftIsAbout, ") FROM ", kArrays, " WITH ORDINALITY AS k (", kColumns,
                          ", n) JOIN scenario s USING (", kColumns, ")"));
  columns.BindTo(find);
  while (find.Next()) {
    const domain::ScenarioKey& key = *keys[static_cast<size_t>(find.Int(0)) - 1];
    ids_[key] = {find.Int(1), find.Int(2), find.Int(3)};
  }
  wanted_.clear();
  return find.status();
}

void ScenarioIds::Clear() {
  ids_.clear();
  wanted_.clear();
}

}  // namespace cox::store::postgres
