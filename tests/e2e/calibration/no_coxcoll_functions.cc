// cox-bench without libcoxcoll.
#include "bench/measure/collective_function.h"

namespace cox::bench {

absl::Span<const FunctionRow> CoxcollFunctions() { return {}; }

std::string CoxcollError() { return ""; }

}  // namespace cox::bench
