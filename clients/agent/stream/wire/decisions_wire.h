// GetDecisions' request and response on the wire (cox/v1/advice.proto; tests compare with the
// generated code). Pure, any thread.
#ifndef COX_AGENT_STREAM_WIRE_DECISIONS_WIRE_H_
#define COX_AGENT_STREAM_WIRE_DECISIONS_WIRE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cox::agent {

struct DecisionsRequest {
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

std::string EncodeDecisionsRequest(const DecisionsRequest& request);

// One row of the answer: the algorithm from a block size on.
struct DecisionRow {
  std::string collective;
  int64_t from_block_bytes = 0;
  std::string algorithm;
  std::string library{};  // "": the request's
};

struct DecisionsResponse {
  // An honest answer has fewer rows: a collective has at most as many as it has sizes.
  static constexpr size_t kMostRows = 4096;

  std::string etag;
  bool not_modified = false;
  int64_t profile_revision = 0;
  std::vector<DecisionRow> rows;

  // Whether this is a table, not a confirmation or an empty message.
  bool is_complete() const { return !etag.empty() && !not_modified; }
};

// nullopt when the bytes are not a message, or have more than kMostRows rows. Skips unknown fields.
std::optional<DecisionsResponse> DecodeDecisionsResponse(std::string_view bytes);

}  // namespace cox::agent

#endif  // COX_AGENT_STREAM_WIRE_DECISIONS_WIRE_H_
