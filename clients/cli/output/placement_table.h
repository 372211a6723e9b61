// Compares predictions for the same call on several lists of nodes. Not thread-safe.
#ifndef COX_CLI_OUTPUT_PLACEMENT_TABLE_H_
#define COX_CLI_OUTPUT_PLACEMENT_TABLE_H_

#include <cox/v1/advice.pb.h>

#include <ostream>
#include <string>
#include <vector>

namespace cox::cli {

// "16 nodes at 2 switches, 3.07 links between two nodes, 4 links between halves".
std::string NodesText(const v1::NodesInUse& nodes);

class PlacementTable {
 public:
  void Add(const std::string& node_list, const v1::PredictResponse& response) {
    lists_.push_back(node_list);
    responses_.push_back(response);
  }

  // A line for each list, then a table: a row for each strategy and model in the order of the first
  // answer, a column for each list, and the last list's time over the first one's.
  void Print(std::ostream& out) const;

 private:
  std::vector<std::string> lists_;
  std::vector<v1::PredictResponse> responses_;
};

}  // namespace cox::cli

#endif  // COX_CLI_OUTPUT_PLACEMENT_TABLE_H_
