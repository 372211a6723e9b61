// What every verb works with: the streams, the form of the output, and the connection to coxd. Not
// thread-safe.
#ifndef COX_CLI_SESSION_H_
#define COX_CLI_SESSION_H_

#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "cli/connection.h"

namespace google::protobuf {
class Message;
}

namespace cox::cli {

struct GlobalOptions {
  std::string server = "127.0.0.1:7077";
  std::optional<double> timeout_s;  // absent: the default
  Credentials credentials;
  bool json = false;
  bool wide = false;               // tables of any width, and all of their rows
  std::vector<std::string> words;  // the command line, word by word
};

class Session {
 public:
  // The streams must outlive the session. `command` is console::CommandField().
  Session(const GlobalOptions& options, std::string command, std::ostream* out, std::ostream* err)
      : json_(options.json),
        wide_(options.wide),
        command_(std::move(command)),
        words_(options.words),
        out_(out),
        err_(err),
        connection_(options.server, options.timeout_s, options.credentials) {}

  bool json() const { return json_; }
  bool wide() const { return wide_; }
  const std::string& command() const { return command_; }
  const std::vector<std::string>& words() const { return words_; }
  // Data, and nothing else.
  std::ostream& out() {
    has_output_ = true;
    return *out_;
  }
  // Whether anybody asked for out() yet.
  bool has_output() const { return has_output_; }
  // Messages for people.
  std::ostream& err() { return *err_; }
  Connection& connection() { return connection_; }

  // One line on err(), without characters that could steer a terminal.
  void Note(absl::string_view text);
  // One JSON document, one line, on out().
  void PrintJson(const google::protobuf::Message& message);

 private:
  bool json_;
  bool wide_;
  std::string command_;
  std::vector<std::string> words_;
  std::ostream* out_;
  std::ostream* err_;
  Connection connection_;
  bool has_output_ = false;
};

// What a parsed command line will do.
using Action = std::function<absl::Status(Session&)>;

}  // namespace cox::cli

#endif  // COX_CLI_SESSION_H_
