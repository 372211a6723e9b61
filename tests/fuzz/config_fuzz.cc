// The configuration file: an error names the file, and what is read is within its rules.
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "daemon/config.h"
#include "expect.h"
#include "folder.h"

using cox::fuzz::Expect;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const cox::fuzz::Folder kFolder;
  const std::string path = kFolder.Write("coxd.toml", {reinterpret_cast<const char*>(data), size});
  const auto values = cox::daemon::ReadConfigFile(path);
  if (!values.ok()) {
    Expect(absl::StrContains(values.status().message(), "coxd.toml"), "the error names no file");
    return 0;
  }
  const auto config = cox::daemon::MakeConfig({*values});
  if (!config.ok()) {
    Expect(absl::IsInvalidArgument(config.status()) || absl::IsFailedPrecondition(config.status()),
           "another error");
    return 0;
  }
  Expect(!config->listen.empty(), "nowhere to listen");
  Expect(config->max_message_bytes > 0 && config->max_memory_bytes > 0, "no memory at all");
  Expect(config->drain_timeout_s >= 0 && config->idle_timeout_s >= 0, "time runs backwards");
  return 0;
}
