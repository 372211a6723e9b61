// A machine as a site would have it after a while: a profile, and observations of four algorithms
// and the default of every collective over sizes and rank counts.
#ifndef COX_TESTS_BENCH_MEASURED_MACHINE_H_
#define COX_TESTS_BENCH_MEASURED_MACHINE_H_

#include <grpcpp/grpcpp.h>

#include <memory>
#include <vector>

#include "cox/v1/advice.pb.h"
#include "cox/v1/observation.pb.h"

namespace cox::bench {

// Observation `index` of the machine "site", all scenarios in turn. kScenarioCount different ones.
inline constexpr int kScenarioCount = 2'000;
v1::Observation MakeObservation(int64_t index);

// Registers "site" with its profile and one observation of each scenario, and waits until they are
// learned. Ends the program with a message when the daemon refuses.
void FillMachine(const std::shared_ptr<grpc::Channel>& channel);

// Question `index`: collectives, sizes and rank counts in turn.
v1::RecommendRequest MakeQuestion(int64_t index);

}  // namespace cox::bench

#endif  // COX_TESTS_BENCH_MEASURED_MACHINE_H_
