#include "cli/session.h"

#include "cli/output/json_output.h"
#include "console/printable.h"

namespace cox::cli {

void Session::Note(absl::string_view text) {
  *err_ << "cox: " << console::Printable(text) << '\n' << std::flush;
}

void Session::PrintJson(const google::protobuf::Message& message) {
  out() << ToJson(message) << '\n';
}

}  // namespace cox::cli
