// Which algorithm libcoxcoll runs from which block size on, and the lines of its profile that state
// it. Measurements of jobs with one number of ranks decide this. `cox tune --library coxcoll`
// writes the lines. `cox tune --check` and libcoxcoll read them, with this parser and these limits.
// Standard library only, because libcoxcoll links it. Pure, any thread.
#ifndef COX_DOMAIN_COXCOLL_DECISIONS_H_
#define COX_DOMAIN_COXCOLL_DECISIONS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cox::domain {

enum class DecidedOperation { kAlltoall, kBcast, kGather, kScatter };

// The operation's name in MPI without "MPI_", in small letters: "bcast".
std::string_view OperationName(DecidedOperation operation);

// Plain bytes, so that rank 0 can send them to the other ranks.
class Decisions {
 public:
  static constexpr int kMostSizes = 32;           // of one operation
  static constexpr int kMostNameCharacters = 31;  // of an algorithm with its knob

  static constexpr char kRanksWord[] = "decided_ranks";
  static constexpr char kDecideWord[] = "decide";
  static constexpr char kNoDecision[] = "default";  // in the place of an algorithm

  // The algorithm for blocks of block_bytes >= 0 on a communicator of `ranks` ranks; null if
  // nothing is decided for it.
  const char* Find(DecidedOperation operation, int64_t ranks, int64_t block_bytes) const;

  // Decisions apply to communicators with this many ranks; 0: to none.
  int64_t ranks() const { return ranks_; }

 private:
  friend std::string ReadDecisionLine(const std::vector<std::string>& words, Decisions* decisions);
  static constexpr int kOperations = 4;
  struct Row {
    int64_t from_bytes;
    char name[kMostNameCharacters + 1];
  };
  struct Rows {
    int count;
    Row row[kMostSizes];
  };
  int64_t ranks_ = 0;
  Rows rows_[kOperations] = {};
};

// Reads one line: `decided_ranks RANKS` or `decide OPERATION FROM_BYTES ALGORITHM`. The sizes of an
// operation ascend. Ignores lines with another first word (coxcoll_costs.h). Returns "" or what is
// wrong; then *decisions keeps its value. Does not know which algorithms exist.
std::string ReadDecisionLine(const std::vector<std::string>& words, Decisions* decisions);

// Reads a whole text. Returns "" or what is wrong with the first refused line, with its number;
// then *decisions may have changed.
std::string ParseDecisions(std::string_view text, Decisions* decisions);

}  // namespace cox::domain

#endif  // COX_DOMAIN_COXCOLL_DECISIONS_H_
