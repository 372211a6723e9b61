// The cache of daemon's answers, which lies in a folder that others may be able to write. The first
// byte chooses library and question; the second one says what the rest is: the whole file, or the
// text and the etag of an answer. A job gets only what a daemon's own writer could have written.
#include <cox/v1/advice.pb.h>
#include <google/protobuf/stubs/logging.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "cli/run/daemon_text.h"
#include "cli/run/find_decisions.h"
#include "cli/run/find_tuning.h"
#include "expect.h"
#include "files/file_io.h"
#include "folder.h"

using cox::fuzz::Expect;
using cox::tuning::Question;

namespace {

constexpr const char* kNobody = "unix:/nowhere/coxd.sock";
constexpr double kLimit_s = 0.2;

void CheckTuning(const cox::tuning::TuningKey& key, const cox::tuning::TuningCache& cache) {
  const auto found = cox::cli::FindTuning(key, "cox run", kLimit_s, cache, {});
  if (!found.ok()) return;
  Expect(absl::StrContains(found->remark, "from the cache"), "an answer from nowhere");
  const std::string& text = found->answer.text();
  const char* const format = key.question == Question::kFile ? "file" : "env";
  Expect(cox::cli::CheckDaemonText(key.library, format, text, key.assume).ok(),
         "a text that no daemon has written");
  if (found->text_file.empty()) return;
  const auto content = cox::ReadFile(found->text_file);
  Expect(content.ok() && *content == text, "another text is in the file");
}

void CheckDecisions(const cox::tuning::TuningKey& key, const cox::tuning::TuningCache& cache) {
  const auto found = cox::cli::FindDecisions(key, kLimit_s, cache, {});
  if (!found.ok()) return;
  Expect(absl::StrContains(found->remark, "from the cache"), "an answer from nowhere");
  Expect(!found->answer.etag().empty() && !found->answer.not_modified(), "no whole answer");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const cox::fuzz::Folder kFolder;
  static const cox::tuning::TuningCache kCache(kFolder.File("cache"));
  google::protobuf::SetLogHandler(nullptr);
  if (size < 2) return 0;
  static constexpr const char* kLibraries[] = {"openmpi-4.1", "openmpi-5.0", "mpich-4.0",
                                               "mvapich-3.0"};
  static constexpr Question kQuestions[] = {Question::kVariables, Question::kFile,
                                            Question::kDecisions};
  cox::tuning::TuningKey key;
  key.server = kNobody;
  key.machine = "m";
  key.library = kLibraries[data[0] % std::size(kLibraries)];
  key.shape = {2, 2};
  key.assume.commutative = (data[1] & 2) != 0;
  key.question = kQuestions[data[0] / 16 % std::size(kQuestions)];
  std::string content(reinterpret_cast<const char*>(data) + 2, size - 2);
  if ((data[1] & 1) != 0 && key.question != Question::kDecisions) {
    cox::v1::GetTuningResponse answer;
    answer.set_text(content);
    answer.set_etag(content.substr(0, 8));
    content = answer.SerializePartialAsString();
  }
  Expect(kCache.Store(key, content).ok(), "cannot write");
  // Nobody is asked: the daemon was slow a moment ago.
  if (!kCache.IsQuiet(key.server, kLimit_s)) kCache.NoteSlow(key.server, kLimit_s);
  if (key.question == Question::kDecisions) {
    CheckDecisions(key, kCache);
  } else {
    CheckTuning(key, kCache);
  }
  return 0;
}
