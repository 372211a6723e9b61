// `cox-bench suite`: runs whole programs and shows what each model had predicted for them. Not an
// MPI program itself: it starts the jobs.
#ifndef COX_BENCH_SUITE_SUITE_H_
#define COX_BENCH_SUITE_SUITE_H_

#include <ostream>

#include "bench/suite/options.h"

namespace cox::bench {

// Tables to `out`, progress and complaints to `err`. Returns the exit code: 0; 1 if a program
// failed or computed a wrong result (the other results are still printed); 2 for wrong arguments.
// Call it once, from the main thread.
int RunSuite(const SuiteOptions& options, std::ostream& out, std::ostream& err);

}  // namespace cox::bench

#endif  // COX_BENCH_SUITE_SUITE_H_
