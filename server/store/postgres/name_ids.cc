#include "store/postgres/name_ids.h"

#include "absl/strings/str_cat.h"
#include "store/postgres/connection/query.h"

namespace cox::store::postgres {

absl::Status NameIds::Resolve(Session& session) {
  if (wanted_.empty()) return absl::OkStatus();
  if (adds_) {
    absl::Status added =
        Take(session, absl::StrCat("INSERT INTO ", table_,
                                   " (name) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING"
                                   " RETURNING name, ",
                                   table_, "_id"));
    if (!added.ok()) return added;
  }
  // The others were there before.
  absl::Status found = wanted_.empty()
                           ? absl::OkStatus()
                           : Take(session, absl::StrCat("SELECT name, ", table_, "_id FROM ",
                                                        table_, " WHERE name = ANY ($1::text[])"));
  wanted_.clear();
  return found;
}

absl::Status NameIds::Take(Session& session, const std::string& sql) {
  const std::vector<std::string> names(wanted_.begin(), wanted_.end());
  Query query(session, sql);
  query.BindAll(names);
  while (query.Next()) {
    const std::string name = query.Text(0);
    ids_[name] = query.Int(1);
    wanted_.erase(name);
  }
  return query.status();
}

void NameIds::Clear() {
  ids_.clear();
  wanted_.clear();
}

}  // namespace cox::store::postgres
