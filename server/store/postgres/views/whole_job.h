// SQL that makes one job of its nodes: the agents of a job on several nodes report as JOB@NODE.
//
// Any thread, cannot fail.
#ifndef COX_STORE_POSTGRES_VIEWS_WHOLE_JOB_H_
#define COX_STORE_POSTGRES_VIEWS_WHOLE_JOB_H_

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace cox::store::postgres {

// The name of a row `j` of the table job, without its last '@' and what follows.
inline constexpr absl::string_view kWholeJob = "regexp_replace(j.name, '@[^@]*$', '')";

// Selects the job_ids of the whole job whose name is this parameter. 'A' follows '@', so that the
// index of names finds the nodes.
inline std::string PartsOfJob(int parameter) {
  return absl::StrCat("SELECT j.job_id FROM job j WHERE j.name = $", parameter,
                      "::text OR (j.name > $", parameter, "::text || '@' AND j.name < $", parameter,
                      "::text || 'A' AND ", kWholeJob, " = $", parameter, "::text)");
}

}  // namespace cox::store::postgres

#endif  // COX_STORE_POSTGRES_VIEWS_WHOLE_JOB_H_
