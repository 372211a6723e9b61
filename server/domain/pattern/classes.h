// What a sketch of an application's messages counts: kinds of phases, and classes of numbers that
// grow by powers of two.
//
// Header only and free of dependencies, because the agent shares it. Any thread, cannot fail.
#ifndef COX_DOMAIN_PATTERN_CLASSES_H_
#define COX_DOMAIN_PATTERN_CLASSES_H_

#include <cstdint>

namespace cox::domain {

enum class PatternKind : uint8_t {
  kAlltoallv,  // a call of alltoallv or alltoallw
  kNeighbour,  // a call of a neighbour collective
  kMessages,   // messages between two ranks, up to the rank's next wait for all of them
};
inline constexpr int kPatternKindCount = 3;
inline constexpr const char* kPatternKindNames[kPatternKindCount] = {"alltoallv", "neighbour",
                                                                     "messages"};

// Class 0 has the number 0, class k the numbers 2^(k-1) .. 2^k - 1, the last class all above.
inline constexpr int kPatternClasses = 40;

// number >= 0.
constexpr int PatternClassOf(int64_t number) {
  const int width = number > 0 ? 64 - __builtin_clzll(static_cast<unsigned long long>(number)) : 0;
  return width < kPatternClasses ? width : kPatternClasses - 1;
}

// The least number of a class.
constexpr int64_t LeastOfPatternClass(int pattern_class) {
  return pattern_class == 0 ? 0 : int64_t{1} << (pattern_class - 1);
}

// Ranks between two ranks of a ring of `ranks` ranks, the shorter way: 0 .. ranks / 2.
constexpr int64_t RingDistance(int64_t from, int64_t to, int64_t ranks) {
  const int64_t way = from < to ? to - from : from - to;
  return way < ranks - way ? way : ranks - way;
}

}  // namespace cox::domain

#endif  // COX_DOMAIN_PATTERN_CLASSES_H_
