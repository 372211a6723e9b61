// Machines and profiles as people read them. Writes text only; programs take JSON.
#ifndef COX_CLI_OUTPUT_PROFILE_VIEW_H_
#define COX_CLI_OUTPUT_PROFILE_VIEW_H_

#include <cox/v1/machine.pb.h>

#include <ostream>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace cox::cli {

// "calibrated"; "-" where it is unspecified.
std::string ProvenanceText(v1::Provenance provenance);
// "2026-11-20 08:00:00Z".
std::string TimeText(absl::Time time);
std::string TimeText(const google::protobuf::Timestamp& time);
// "torus 4x4x4"; "-" where it is unknown.
std::string TopologyText(const v1::Topology& topology);

// Parameters with units and standard errors. A piece is shown as "alpha above 40 B", a bound with
// "<=" and a sum of parameters with "sum" in front of the value.
void PrintParameters(const google::protobuf::RepeatedPtrField<v1::Parameter>& parameters,
                     std::ostream& out);

// "240 observations of ada@login would move predictions by a factor of 3.1 from @4".
std::string DescribeHeld(const v1::HeldRevision& held);

// A line about the revision, and one with its note.
void PrintProfileTitle(const v1::Profile& profile, std::ostream& out);
// The title, then the parameters.
void PrintProfile(const v1::Profile& profile, std::ostream& out);

}  // namespace cox::cli

#endif  // COX_CLI_OUTPUT_PROFILE_VIEW_H_
