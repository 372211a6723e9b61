// What a harness demands: a false condition is a find.
#ifndef COX_TESTS_FUZZ_EXPECT_H_
#define COX_TESTS_FUZZ_EXPECT_H_

#include <cstdio>
#include <cstdlib>

namespace cox::fuzz {

inline void Expect(bool is_true, const char* what) {
  if (is_true) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

}  // namespace cox::fuzz

#endif  // COX_TESTS_FUZZ_EXPECT_H_
