// GetTuning's request and response on the wire (cox/v1/advice.proto; tests hold this to the
// generated code). Pure, any thread.
#ifndef COX_AGENT_STREAM_WIRE_TUNING_WIRE_H_
#define COX_AGENT_STREAM_WIRE_TUNING_WIRE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cox::agent {

struct TuningRequest {
  std::string machine;
  std::string library;
  int64_t nodes = 0;
  int64_t ppn = 0;
  std::string etag;
  bool assume_commutative = false;
  bool assume_elements_at_least_ranks = false;
  bool assume_same_counts = false;
  std::string second_library{};
  double explore_ratio = 0;
};

// For the library's own file, and rows to be applied call by call.
std::string EncodeTuningRequest(const TuningRequest& request);

struct TuningRow {
  std::string collective;
  int64_t block_bytes = 0;
  std::string algorithm;
  std::string library{};  // whose, where it is not the request's
};

// The decisions of a GetTuningResponse; its text only by its size.
struct TuningResponse {
  size_t text_bytes = 0;
  std::string etag;
  bool not_modified = false;
  int64_t profile_revision = 0;
  std::vector<TuningRow> rows;
};

// nullopt when it is not a message. Fields that are not known are skipped.
std::optional<TuningResponse> DecodeTuningResponse(std::string_view bytes);

}  // namespace cox::agent

#endif  // COX_AGENT_STREAM_WIRE_TUNING_WIRE_H_
