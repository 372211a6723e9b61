// What was decided by measuring jobs of so many ranks, and the text that states it: the file that
// `cox tune --library coxcoll` writes. Plain bytes, so that rank 0 can tell the others. Pure, any
// thread.
#ifndef COX_COLLECTIVES_CHOICE_DECIDED_H_
#define COX_COLLECTIVES_CHOICE_DECIDED_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace cox::collectives {

enum class DecidedOperation { kAlltoall, kBcast, kGather, kScatter };

class Decided {
 public:
  static constexpr int kMostRows = 32;   // of an operation
  static constexpr int kNameBytes = 32;  // of an algorithm, with its end

  // The algorithm of blocks of so many bytes among so many ranks; null where nothing is decided.
  const char* Find(DecidedOperation operation, int64_t ranks, int64_t block_bytes) const;

 private:
  friend std::string ParseDecided(std::string_view text, Decided* decided);
  static constexpr int kOperations = 4;
  struct Row {
    int64_t from_bytes;
    char name[kNameBytes];  // "default": nothing is decided
  };
  struct Rows {
    int count;
    Row row[kMostRows];
  };
  int64_t ranks_ = 0;  // 0: nothing is decided
  Rows rows_[kOperations] = {};
};

// Reads lines `decided_ranks RANKS` and `decide OPERATION FROM_BYTES ALGORITHM`, sizes of an
// operation ascending; what follows a # is nothing, other lines are left to others
// (cost_profile.h). Returns "", or what is wrong with which line; then *decided may have changed.
std::string ParseDecided(std::string_view text, Decided* decided);

}  // namespace cox::collectives

#endif  // COX_COLLECTIVES_CHOICE_DECIDED_H_
