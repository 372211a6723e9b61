// Reads the file that COX_COLL_PROFILE names, which `cox profile show M --compact` and `cox tune
// --library coxcoll` write. Any thread.
#ifndef COX_COLLECTIVES_CHOICE_COST_FILE_H_
#define COX_COLLECTIVES_CHOICE_COST_FILE_H_

#include <string>

#include "domain/coxcoll_costs.h"
#include "domain/coxcoll_decisions.h"

namespace cox::collectives {

// `decided` may be null. Returns "" or what is wrong, beginning with the path; then *profile and
// *decided may have changed.
std::string ReadCostFile(const std::string& path, domain::CostProfile* profile,
                         domain::Decisions* decided);

// The path in COX_COLL_PROFILE; "" if it is not set.
std::string CostFileOfEnvironment();

}  // namespace cox::collectives

#endif  // COX_COLLECTIVES_CHOICE_COST_FILE_H_
