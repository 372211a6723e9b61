#include "store/postgres/name_ids.h"

#include "absl/strings/str_cat.h"
#include "store/postgres/connection/query.h"

namespace cox::store::postgres {

absl::Status NameIds::Resolve(Session& session) {
  if (wanted_.empty()) return absl::OkStatus();
  const std::vector<std::string> names(wanted_.begin(), wanted_.end());
  wanted_.clear();
  if (adds_) {
    Query add(session, absl::StrCat("INSERT INTO ", table_,
                                    " (name) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING"));
    if (absl::Status status = add.BindAll(names).Run(); !status.ok()) return status;
  }
  Query find(session, absl::StrCat("SELECT name, ", table_, "_id FROM ", table_,
                                   " WHERE name = ANY ($1::text[])"));
  find.BindAll(names);
  while (find.Next()) ids_[find.Text(0)] = find.Int(1);
  return find.status();
}

void NameIds::Clear() {
  ids_.clear();
  wanted_.clear();
}

}  // namespace cox::store::postgres
