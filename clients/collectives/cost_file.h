// The file of a profile: what `cox profile show M --compact` writes. Any thread.
#ifndef COX_COLLECTIVES_COST_FILE_H_
#define COX_COLLECTIVES_COST_FILE_H_

#include <string>

#include "collectives/cost_profile.h"

namespace cox::collectives {

// Returns "", or what is wrong with it, beginning with its path; then *profile may have changed.
std::string ReadCostFile(const std::string& path, CostProfile* profile);

// The path in COX_COLL_PROFILE; "" if it is not set.
std::string CostFileOfEnvironment();

}  // namespace cox::collectives

#endif  // COX_COLLECTIVES_COST_FILE_H_
