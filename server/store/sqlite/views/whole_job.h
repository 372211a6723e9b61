// SQL that makes one job of its nodes: the agents of a job on several nodes report as JOB@NODE.
//
// Any thread, cannot fail.
#ifndef COX_STORE_SQLITE_VIEWS_WHOLE_JOB_H_
#define COX_STORE_SQLITE_VIEWS_WHOLE_JOB_H_

#include "absl/strings/string_view.h"
#include "store/sqlite/database.h"

namespace cox::store {

// The name of a row `j` of the table job, without its last '@' and what follows.
inline constexpr absl::string_view kWholeJob =
    "CASE instr(j.name, '@') WHEN 0 THEN j.name"
    " ELSE substr(rtrim(j.name, replace(j.name, '@', '')), 1,"
    "   length(rtrim(j.name, replace(j.name, '@', ''))) - 1) END";

// Selects the job_ids of a whole job; BindPartsOf() binds its parameters. 'A' follows '@', so that
// the index of names finds the nodes.
inline constexpr absl::string_view kPartsOfJob =
    "SELECT j.job_id FROM job j WHERE j.name = ? OR (j.name > ? || '@' AND j.name < ? || 'A'"
    " AND instr(substr(j.name, length(?) + 2), '@') = 0)";

inline void BindPartsOf(absl::string_view job, Query& query) {
  for (int i = 0; i < 4; ++i) query.Bind(job);
}

}  // namespace cox::store

#endif  // COX_STORE_SQLITE_VIEWS_WHOLE_JOB_H_
