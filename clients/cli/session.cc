#include "cli/session.h"

#include "cli/json_output.h"

namespace cox::cli {

void Session::PrintJson(const google::protobuf::Message& message) {
  *out_ << ToJson(message) << '\n';
}

}  // namespace cox::cli
