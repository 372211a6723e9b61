// A withdrawal: an algorithm that was chosen for some calls, and that canaries showed to be slower
// than the library's default. It names the calls and the evidence. Plain data.
#ifndef COX_DOMAIN_WITHDRAWAL_H_
#define COX_DOMAIN_WITHDRAWAL_H_

#include <compare>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace cox::domain {

// The calls that a comparison covers: those of one shape, from a power of two of bytes to the next.
struct ComparedCalls {
  std::string library;  // the algorithm's
  std::string collective;
  std::string algorithm;  // the library's own name
  int64_t nodes = 1;
  int64_t ppn = 1;
  int64_t ranks = 1;
  int64_t min_block_bytes = 0;
  int64_t max_block_bytes = 0;

  bool Holds(absl::string_view of_library, absl::string_view of_collective, int64_t of_nodes,
             int64_t of_ppn, int64_t of_ranks, int64_t block_bytes) const {
    return library == of_library && collective == of_collective && nodes == of_nodes &&
           ppn == of_ppn && ranks == of_ranks && block_bytes >= min_block_bytes &&
           block_bytes <= max_block_bytes;
  }
  friend auto operator<=>(const ComparedCalls&, const ComparedCalls&) = default;
};

// What canaries showed about an algorithm.
struct Comparison {
  ComparedCalls calls;
  double log_factor = 0;   // mean of ln(the algorithm's time / the default's time)
  int64_t pair_count = 0;  // independent pairs of both times
  int64_t job_count = 0;   // jobs that made them
};

struct Withdrawal {
  int64_t id = 0;  // assigned by the store
  std::string machine;
  Comparison evidence;
  int64_t first_id = 0;        // the first observation that may have a part in it
  int64_t last_id = 0;         // the observation that completed the evidence
  int64_t revision = 0;        // the active profile's; 0: none
  int64_t create_time_us = 0;  // assigned by the store
};

}  // namespace cox::domain

#endif  // COX_DOMAIN_WITHDRAWAL_H_
