// The plugin's C interface: window by window from the agent's draining thread to the sender.
#include "agent/job/stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "agent/stream/algorithm_labels.h"
#include "agent/stream/decide.h"
#include "agent/stream/plugin/own_environment.h"
#include "agent/stream/sender.h"
#include "agent/stream/sketch_window.h"
#include "agent/stream/window.h"
#include "agent/timing/clock.h"
#include "agent/timing/collectives.h"
#include "agent/timing/table.h"
#include "domain/canary_arm.h"
#include "domain/collective.h"
#include "library/run_time_number.h"

#define COX_PLUGIN_EXPORT extern "C" __attribute__((visibility("default")))

using cox::agent::kNsPerS;
using cox::agent::Measurement;
using cox::agent::NowNs;
using cox::agent::Observation;
using cox::agent::Origin;
using cox::agent::Sender;

// Never destroyed, like Sender.
struct CoxStream {
  explicit CoxStream(const CoxStreamConfig& config, int64_t first_sequence)
      : machine(config.machine),
        library(config.library),
        nodes(config.nodes),
        ppn(config.ppn),
        is_canary(config.is_canary != 0),
        sketches({.machine = config.machine,
                  .application = config.application,
                  .nodes = config.nodes,
                  .ppn = config.ppn}),
        labels(cox::agent::ReadAlgorithmLabels(config.library, config.directory, getenv)),
        window_start_ns(NowNs()),
        sender(config.server, config.job, first_sequence, config.spool, config.log != 0) {}

  Observation Observe(const cox::agent::WindowEntry& entry, int64_t at_s) const {
    Observation observation;
    observation.machine = machine;
    observation.library =
        cox::agent::RunsCoxcoll(entry.key.number) ? std::string(cox::library::kCoxcoll) : library;
    observation.collective = cox::domain::kCollectiveNames[entry.key.collective];
    observation.algorithm =
        labels->Of({entry.key.collective, entry.key.ranks, ppn, entry.key.block_bytes,
                    entry.key.type_bytes, entry.key.number});
    observation.nodes = nodes;
    observation.ppn = ppn;
    observation.ranks = entry.key.ranks;
    observation.block_bytes = entry.key.block_bytes;
    observation.type_bytes = entry.key.type_bytes;
    observation.count = entry.count;
    observation.time_s = entry.time_s;
    observation.stddev_s = entry.stddev_s;
    observation.statistic = entry.statistic;
    observation.run = RunOf(entry.key);
    observation.at_s = at_s;
    return observation;
  }

  // The label of the run.
  const char* RunOf(const cox::agent::WindowKey& key) const {
    if (key.origin == Origin::kSynchronised) return cox::agent::kSynchronisedRun;
    const bool is_of_canary_job = is_canary && key.number == 0;
    if (key.origin == Origin::kCanary || is_of_canary_job) return cox::domain::kCanaryRun;
    return key.origin == Origin::kPeer ? cox::domain::kPeerRun : "";
  }

  const std::string machine;
  const std::string library;
  const int64_t nodes;
  const int64_t ppn;
  const bool is_canary;
  cox::agent::SketchWindow sketches;
  const std::unique_ptr<cox::agent::AlgorithmLabels> labels;
  cox::agent::Window window;
  uint64_t window_start_ns;
  Sender sender;
};

// No exception may reach the agent. Only a lack of memory throws here; it loses a window of
// timings.

COX_PLUGIN_EXPORT CoxStream* cox_stream_open(const CoxStreamConfig* config) try {
  if (config->version != COX_STREAM_VERSION) return nullptr;
  cox::agent::UseEnvironment(config->environment);
  // A second run under the same job name must not reuse the numbers.
  timespec now = {};
  clock_gettime(CLOCK_REALTIME, &now);
  const int64_t first_sequence = static_cast<int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
  return new CoxStream(*config, first_sequence);
} catch (...) {
  return nullptr;
}

COX_PLUGIN_EXPORT void cox_stream_add(CoxStream* stream, const CoxStreamRow* rows,
                                      size_t count) try {
  stream->window.Add(rows, count);
} catch (...) {
}

COX_PLUGIN_EXPORT void cox_stream_add_sketch(CoxStream* stream, const CoxStreamSketch* sketch) try {
  stream->sketches.Add(*sketch);
} catch (...) {
}

COX_PLUGIN_EXPORT int cox_stream_decide(const CoxStreamQuestion* question,
                                        CoxStreamDecision* decisions, int capacity, char* remark,
                                        size_t remark_bytes) try {
  if (question->version != COX_STREAM_VERSION) return -1;
  cox::agent::UseEnvironment(question->environment);
  const auto decided = cox::agent::Decide(*question);
  const std::string said = decided.ok() ? decided->remark : std::string(decided.status().message());
  snprintf(remark, remark_bytes, "%s", said.c_str());
  if (!decided.ok()) return -1;
  const int count = std::min(capacity, static_cast<int>(decided->decisions.size()));
  std::copy_n(decided->decisions.begin(), count, decisions);
  return count;
} catch (...) {
  return -1;
}

namespace {

void Flush(CoxStream* stream, int64_t dropped_count, bool all) {
  const uint64_t now_ns = NowNs();
  const double lasted_s = static_cast<double>(now_ns - stream->window_start_ns) / kNsPerS;
  stream->window_start_ns = now_ns;
  const cox::agent::Window::Contents contents = stream->window.Take(all, lasted_s);
  const int64_t at_s = time(nullptr);
  std::vector<Observation> passive;
  std::vector<Observation> synchronised;
  int64_t unfit_count = 0;
  for (const cox::agent::WindowEntry& entry : contents.entries) {
    // Spawned processes may make communicators larger than this job's shape.
    if (entry.key.ranks <= stream->nodes * stream->ppn) {
      const bool is_sample = entry.key.origin == Origin::kSynchronised;
      (is_sample ? synchronised : passive).push_back(stream->Observe(entry, at_s));
    } else {
      unfit_count += entry.count;
    }
  }
  stream->sender.Push(std::move(passive), dropped_count + contents.dropped_count + unfit_count,
                      Measurement::kJob, stream->sketches.Take(all));
  // Ranks entered together, as in a benchmark.
  stream->sender.Push(std::move(synchronised), 0, Measurement::kBenchmark);
}

}  // namespace

COX_PLUGIN_EXPORT void cox_stream_flush(CoxStream* stream, int64_t dropped_count) try {
  Flush(stream, dropped_count, false);
} catch (...) {
}

COX_PLUGIN_EXPORT void cox_stream_close(CoxStream* stream, uint64_t deadline_ns) try {
  Flush(stream, 0, true);
  // steady_clock is CLOCK_MONOTONIC, the agent's clock.
  stream->sender.Close(Sender::Clock::time_point(std::chrono::nanoseconds(deadline_ns)));
} catch (...) {
}
