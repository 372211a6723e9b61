#include "cli/session.h"

#include "cli/output/json_output.h"

namespace cox::cli {

void Session::PrintJson(const google::protobuf::Message& message) {
  *out_ << ToJson(message) << '\n';
}

}  // namespace cox::cli
