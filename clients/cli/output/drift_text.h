// Describes a drift in words. Pure, any thread, never fails.
#ifndef COX_CLI_OUTPUT_DRIFT_TEXT_H_
#define COX_CLI_OUTPUT_DRIFT_TEXT_H_

#include <cox/v1/observation.pb.h>

#include <string>

namespace cox::cli {

// "times of openmpi-4.1 bcast over the network of 1 KiB or more are 1.98 times what they were".
std::string DescribeDrift(const v1::Drift& drift);

}  // namespace cox::cli

#endif  // COX_CLI_OUTPUT_DRIFT_TEXT_H_
