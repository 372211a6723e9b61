// Collects the answers to one or more points as one JSON document: {"responses": [...]} with its
// question beside each answer. Not thread-safe.
#ifndef COX_CLI_OUTPUT_SWEEP_JSON_H_
#define COX_CLI_OUTPUT_SWEEP_JSON_H_

#include <google/protobuf/message.h>

#include <string>

#include "cli/output/json_output.h"

namespace cox::cli {

class SweepJson {
 public:
  void Add(const google::protobuf::Message& request, const google::protobuf::Message& response) {
    if (!text_.empty()) text_ += ',';
    AppendMergedJson(request, response, text_);
  }

  std::string Text() const { return "{\"responses\":[" + text_ + "]}\n"; }

 private:
  std::string text_;
};

}  // namespace cox::cli

#endif  // COX_CLI_OUTPUT_SWEEP_JSON_H_
