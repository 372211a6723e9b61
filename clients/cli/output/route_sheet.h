// Prints the answer of RecommendRoutes for people. Any thread.
#ifndef COX_CLI_OUTPUT_ROUTE_SHEET_H_
#define COX_CLI_OUTPUT_ROUTE_SHEET_H_

#include <cox/v1/advice.pb.h>

#include <ostream>

namespace cox::cli {

// For each pattern: what the ranks send, the routes best first, the answer, and blocks per rank.
// Without patterns: a line that says so.
void PrintRoutes(const v1::RecommendRoutesResponse& response, std::ostream& out);

}  // namespace cox::cli

#endif  // COX_CLI_OUTPUT_ROUTE_SHEET_H_
