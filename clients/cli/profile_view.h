// Machines and profiles as people read them. Writes text only; programs take JSON.
#ifndef COX_CLI_PROFILE_VIEW_H_
#define COX_CLI_PROFILE_VIEW_H_

#include <ostream>
#include <string>

#include "absl/strings/string_view.h"

namespace google::protobuf {
class Timestamp;
}
namespace cox::v1 {
class Machine;
class Profile;
class Topology;
}  // namespace cox::v1

namespace cox::cli {

// "calibrated".
std::string ProvenanceText(const v1::Profile& profile);
// "2026-11-20 08:00:00Z".
std::string TimeText(const google::protobuf::Timestamp& time);
// "torus 4x4x4"; "-" where it is not known.
std::string TopologyText(const v1::Topology& topology);

// One line about the revision, then its parameters with units and standard errors.
void PrintProfile(const v1::Profile& profile, std::ostream& out);

}  // namespace cox::cli

#endif  // COX_CLI_PROFILE_VIEW_H_
