// The answers to one question, or to a sweep of them, as one JSON document: the response itself, or
// {"responses": [...]} with its question beside each answer. Not thread-safe.
#ifndef COX_CLI_OUTPUT_SWEEP_JSON_H_
#define COX_CLI_OUTPUT_SWEEP_JSON_H_

#include <google/protobuf/message.h>

#include <string>

#include "cli/output/json_output.h"

namespace cox::cli {

class SweepJson {
 public:
  explicit SweepJson(bool is_sweep) : is_sweep_(is_sweep) {}

  void Add(const google::protobuf::Message& request, const google::protobuf::Message& response) {
    if (!text_.empty()) text_ += ',';
    if (is_sweep_) {
      AppendMergedJson(request, response, text_);
    } else {
      AppendJson(response, text_);
    }
  }

  std::string Text() const {
    return is_sweep_ ? "{\"responses\":[" + text_ + "]}\n" : text_ + "\n";
  }

 private:
  bool is_sweep_;
  std::string text_;
};

}  // namespace cox::cli

#endif  // COX_CLI_OUTPUT_SWEEP_JSON_H_
