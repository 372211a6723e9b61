// A question of printed.csv as calls of the API. Not thread-safe, like the connection. Fails with
// the daemon's status and the question.
//
//   predict   m=MACHINE c=COLLECTIVE s=STRATEGY p=RANKS ppn=N b=BYTES model=MODEL
//   kernel    m=MACHINE k=KERNEL n=SIZE p=RANKS model=MODEL
//   pattern   m=MACHINE pattern=NAME p=RANKS ppn=N b=BYTES model=MODEL [route=ROUTE]
//   messages  m=MACHINE to=SxD | degree=D ...: S ranks send to D ranks each, or every rank to the D
//             next ones; the rest as for a pattern
//
// each with any number of if:PARAMETER=VALUE, in SI units, as `cox ... --what-if`.
#ifndef COX_CLI_VALIDATE_QUESTION_H_
#define COX_CLI_VALIDATE_QUESTION_H_

#include <string>

#include "absl/status/statusor.h"
#include "cli/connection.h"

namespace cox::cli {

// Asks the question and returns the cost: the model's units if it counts units, else seconds.
absl::StatusOr<double> Ask(const std::string& question, Connection& connection);

}  // namespace cox::cli

#endif  // COX_CLI_VALIDATE_QUESTION_H_
