// Turns API messages into JSON whose field names are the API's. Unlike protobuf's own JSON: 64-bit
// integers are numbers, fields without presence are always printed, absent optional ones are null,
// times are RFC 3339 strings, and the text is one line. Any thread, never fails: a number that JSON
// cannot hold (NaN, an infinity) is null.
#ifndef COX_CLI_OUTPUT_JSON_OUTPUT_H_
#define COX_CLI_OUTPUT_JSON_OUTPUT_H_

#include <string>

#include "absl/strings/string_view.h"

namespace google::protobuf {
class Message;
}

namespace cox::cli {

// One JSON document, no line break at the end.
std::string ToJson(const google::protobuf::Message& message);

// Appends it to `out`: for many messages in a row.
void AppendJson(const google::protobuf::Message& message, std::string& out);

// Merges both objects: members of `second` replace those of `first`. Shows an answer beside its
// question.
void AppendMergedJson(const google::protobuf::Message& first,
                      const google::protobuf::Message& second, std::string& out);

// A JSON string with its quotes, which is a basic string of TOML as well. Bytes that are not UTF-8
// become U+FFFD.
std::string JsonString(absl::string_view text);

}  // namespace cox::cli

#endif  // COX_CLI_OUTPUT_JSON_OUTPUT_H_
