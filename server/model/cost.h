// A price: seconds, and the named terms that add up to them.
#ifndef COX_MODEL_COST_H_
#define COX_MODEL_COST_H_

#include <array>
#include <cstddef>

#include "absl/strings/string_view.h"

namespace cox::model {

enum class Term {
  kStartup,
  kBandwidth,
  kLatency,
  kGap,
  kSync,
  kLinkCongestion,
  kProcessorCongestion,
  kCopy,
  kCompute,
};
inline constexpr size_t kTermCount = 9;

// The term's name as the API and the command line print it: "startup", "link congestion", ...
absl::string_view TermName(Term term);

struct Cost {
  std::array<double, kTermCount> terms_s{};
  // The part of the time in which the processor is busy and cannot do other work, in seconds. 0 for
  // a model without it.
  double cpu_s = 0;
  // The price in units, for a model that counts units (C3); 0 for the others. The terms in seconds
  // are 0 if the profile has no unit time.
  double units = 0;

  double& operator[](Term term) { return terms_s[static_cast<size_t>(term)]; }
  double operator[](Term term) const { return terms_s[static_cast<size_t>(term)]; }

  // The sum of the terms, in seconds.
  double TotalSeconds() const {
    double total_s = 0;
    for (double term_s : terms_s) total_s += term_s;
    return total_s;
  }
};

}  // namespace cox::model

#endif  // COX_MODEL_COST_H_
