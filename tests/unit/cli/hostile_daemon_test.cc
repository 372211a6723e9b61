// A daemon that puts characters that steer terminals, and line ends, into every text of every
// answer. No verb may pass them on, as a table, as lines, as CSV or as JSON.
#include <cox/v1/access.pb.h>
#include <cox/v1/advice.pb.h>
#include <cox/v1/calibration.pb.h>
#include <cox/v1/history.pb.h>
#include <cox/v1/machine.pb.h>
#include <cox/v1/model.pb.h>
#include <cox/v1/observation.pb.h>
#include <cox/v1/store.pb.h>
#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/empty.pb.h>
#include <google/protobuf/message.h>
#include <google/protobuf/timestamp.pb.h>
#include <grpc/health/v1/health.pb.h>
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/slice.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "cli/app.h"
#include "cli/options/description.h"
#include "console/printable.h"
#include "folder.h"

namespace cox::cli {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using ::testing::HasSubstr;
using ::testing::Not;

// An escape sequence, BEL, DEL, CSI of C1, a return, a line that looks like one of cox's own, and
// an override of the direction.
constexpr char kEvil[] =
    "evil\x1b[31m\x07\x7f\xc2\x9b"
    "2J\rover\nFORGED \xe2\x80\xae"
    "end";

void Poison(Message* message, int depth);

void PoisonField(Message* message, const FieldDescriptor* field, int depth) {
  const auto* reflection = message->GetReflection();
  const auto set = [&](auto add, auto set_one, auto value) {
    field->is_repeated() ? (reflection->*add)(message, field, value)
                         : (reflection->*set_one)(message, field, value);
  };
  using Reflection = google::protobuf::Reflection;
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return set(&Reflection::AddInt32, &Reflection::SetInt32, 1);
    case FieldDescriptor::CPPTYPE_INT64:
      return set(&Reflection::AddInt64, &Reflection::SetInt64, int64_t{1});
    case FieldDescriptor::CPPTYPE_UINT32:
      return set(&Reflection::AddUInt32, &Reflection::SetUInt32, 1U);
    case FieldDescriptor::CPPTYPE_UINT64:
      return set(&Reflection::AddUInt64, &Reflection::SetUInt64, uint64_t{1});
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return set(&Reflection::AddDouble, &Reflection::SetDouble, 1e-3);
    case FieldDescriptor::CPPTYPE_FLOAT:
      return set(&Reflection::AddFloat, &Reflection::SetFloat, 1e-3F);
    case FieldDescriptor::CPPTYPE_BOOL:
      return set(&Reflection::AddBool, &Reflection::SetBool, true);
    case FieldDescriptor::CPPTYPE_ENUM:
      return set(
          &Reflection::AddEnumValue, &Reflection::SetEnumValue,
          field->enum_type()->value(field->enum_type()->value_count() > 1 ? 1 : 0)->number());
    case FieldDescriptor::CPPTYPE_STRING:
      // One page only.
      if (field->name() == "next_page_token") return;
      return set(&Reflection::AddString, &Reflection::SetString, std::string(kEvil));
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return Poison(field->is_repeated() ? reflection->AddMessage(message, field)
                                         : reflection->MutableMessage(message, field),
                    depth - 1);
  }
}

// Sets every field; of intervals both ends.
void Poison(Message* message, int depth) {
  if (depth == 0) return;
  const auto* descriptor = message->GetDescriptor();
  for (int i = 0; i < descriptor->field_count(); ++i) {
    const FieldDescriptor* field = descriptor->field(i);
    const int count = field->name() == "interval_s" && field->is_repeated() ? 2 : 1;
    for (int n = 0; n < count; ++n) PoisonField(message, field, depth);
  }
}

// Answers every method of every service. `code`: with this error, whose text is evil, too.
class HostileDaemon {
 public:
  explicit HostileDaemon(grpc::StatusCode code = grpc::StatusCode::OK) : service_(code) {
    grpc::ServerBuilder builder;
    builder.AddListeningPort(address_, grpc::InsecureServerCredentials());
    builder.RegisterCallbackGenericService(&service_);
    server_ = builder.BuildAndStart();
  }
  ~HostileDaemon() { server_->Shutdown(std::chrono::system_clock::now()); }

  const std::string& address() const { return address_; }
  const Folder& folder() const { return folder_; }

 private:
  // Answers once the client has said all; ends the call then, a stream too.
  class Reactor : public grpc::ServerGenericBidiReactor {
   public:
    Reactor(const std::string& path, grpc::StatusCode code) : code_(code) {
      std::string name = path.substr(1);
      name.replace(name.find('/'), 1, ".");
      const auto* method =
          google::protobuf::DescriptorPool::generated_pool()->FindMethodByName(name);
      if (method == nullptr || code_ != grpc::StatusCode::OK) {
        Finish(grpc::Status(method == nullptr ? grpc::StatusCode::UNIMPLEMENTED : code_, kEvil));
        return;
      }
      const std::unique_ptr<Message> answer(google::protobuf::MessageFactory::generated_factory()
                                                ->GetPrototype(method->output_type())
                                                ->New());
      Poison(answer.get(), 7);
      const grpc::Slice bytes(answer->SerializeAsString());
      answer_ = grpc::ByteBuffer(&bytes, 1);
      StartRead(&request_);
    }
    void OnReadDone(bool ok) override {
      if (ok) {
        StartRead(&request_);
      } else {
        StartWriteAndFinish(&answer_, {}, grpc::Status::OK);
      }
    }
    void OnDone() override { delete this; }

   private:
    const grpc::StatusCode code_;
    grpc::ByteBuffer request_;
    grpc::ByteBuffer answer_;
  };
  class Service : public grpc::CallbackGenericService {
   public:
    explicit Service(grpc::StatusCode code) : code_(code) {}
    grpc::ServerGenericBidiReactor* CreateReactor(
        grpc::GenericCallbackServerContext* context) override {
      return new Reactor(context->method(), code_);
    }

   private:
    const grpc::StatusCode code_;
  };

  Folder folder_;
  std::string address_ = "unix:" + folder_.Path("socket");
  Service service_;
  std::unique_ptr<grpc::Server> server_;
};

// What a verb prints of such an answer.
enum class Shows {
  kText,     // texts of the daemon, on lines of cox's own
  kFile,     // the same, in a file format that quotes line ends
  kCsv,      // the same, with --json too
  kNothing,  // no text of the daemon
  kRefusal,  // cox refuses the answer
};

struct Case {
  std::vector<std::string> words;
  Shows shows;
};

// Every verb that asks the daemon. FILE: a file with `content` in it.
struct Files {
  const Folder& folder;
  std::string rows =
      folder.Write("rows.csv",
                   "machine,library,collective,algorithm,nodes,ppn,ranks,block_bytes,time_s\n"
                   "m,openmpi-4.1,bcast,binomial,2,2,4,1024,1e-5\n");
  std::string samples = folder.Write("samples.csv",
                                     "machine,kind,level,pattern,pairs,block_bytes,time_s\n"
                                     "m,pingpong,network,,1,8,1e-6\n"
                                     "m,pingpong,network,,1,1024,2e-6\n");
  std::string pattern = folder.Write("pattern.csv", "src,dst,bytes\n0,1,100\n1,0,100\n");
  std::string machine =
      folder.Write("machine.toml", "[machine]\nname = \"m\"\nnodes = 2\ncores_per_node = 2\n");
  std::string switches = folder.Write("topology.conf", "SwitchName=s0 Nodes=n[0-1]\n");
  std::string batch =
      folder.Write("batch.csv",
                   "machine,library,collective,nodes,ppn,ranks,block_bytes,candidates\n"
                   "m,openmpi-4.1,bcast,2,2,4,1024,\n");
  std::string times = folder.Write("times.csv",
                                   "network,kind,n,block_bytes,time_s\n"
                                   "shared-medium,pingpong,1,1024,1e-3\n");
  std::string suite = folder.Write("suite.csv",
                                   "kernel,variant,ranks,size,work_s,operations\n"
                                   "matmul,,4,64,1e-3,1000\n");
  std::string graph =
      folder.Write("graph.json", R"({"kind": "KIND_BLOCK", "a_s": 1e-5, "b_s_per_byte": 1e-9})");
};

std::vector<Case> Cases(const Files& files) {
  const std::vector<std::string> scenario = {"-m", "m", "-c", "bcast", "-p", "4", "-b", "1024"};
  const auto ask = [&scenario](std::vector<std::string> words) {
    words.insert(words.end(), scenario.begin(), scenario.end());
    return words;
  };
  return {
      {{"machine", "list"}, Shows::kText},
      {{"machine", "show", "m"}, Shows::kText},
      {{"machine", "import", files.machine}, Shows::kText},
      {{"machine", "export", "m"}, Shows::kFile},
      {{"machine", "delete", "m"}, Shows::kNothing},
      {{"machine", "undelete", "m"}, Shows::kText},
      {{"machine", "switches", "m"}, Shows::kFile},
      {{"machine", "switches", "m", "--slurm", files.switches}, Shows::kNothing},
      {{"profile", "list", "m"}, Shows::kText},
      {{"profile", "show", "m"}, Shows::kText},
      {{"profile", "pin", "m@1"}, Shows::kText},
      {{"profile", "unpin", "m"}, Shows::kText},
      {{"profile", "rollback", "m@1"}, Shows::kText},
      {{"profile", "accept", "m"}, Shows::kText},
      {{"profile", "step", "m", "--suite", files.suite}, Shows::kText},
      {{"calibrate", "m", "--from", files.samples}, Shows::kText},
      {{"strategies"}, Shows::kText},
      {{"strategies", "--library", "openmpi-4.1"}, Shows::kText},
      {{"models"}, Shows::kText},
      {ask({"predict"}), Shows::kText},
      {ask({"predict", "--model", "all"}), Shows::kText},
      {ask({"explain"}), Shows::kText},
      {ask({"explain", "--csv", "-"}), Shows::kFile},
      {{"pattern", "-m", "m", "--file", files.pattern}, Shows::kText},
      {{"pattern", "-m", "m", "--application", "a"}, Shows::kText},
      {{"kernel", "-m", "m", "--kernel", "apsp-1", "-n", "64", "-p", "4"}, Shows::kText},
      {{"kernel", "--list"}, Shows::kText},
      {{"reduce", "--file", files.graph}, Shows::kText},
      {{"reduce", "--file", files.graph, "-b", "1k"}, Shows::kText},
      {{"infer", "--file", files.times}, Shows::kText},
      {{"validate"}, Shows::kNothing},
      {ask({"recommend", "--library", "openmpi-4.1"}), Shows::kText},
      {{"recommend", "--batch", files.batch}, Shows::kFile},
      {{"suggest", "-m", "m", "--library", "openmpi-4.1"}, Shows::kFile},
      {{"tune", "-m", "m", "--nodes", "2", "--library", "openmpi-4.1"}, Shows::kRefusal},
      {{"run", "--print", "--machine", "m", "--nodes", "2", "--ppn", "2", "--library",
        "openmpi-4.1", "--limit", "20000"},
       Shows::kRefusal},
      {{"accuracy", "m"}, Shows::kText},
      {{"savings", "m"}, Shows::kText},
      {{"observations", "list"}, Shows::kText},
      {{"observations", "list", "--count"}, Shows::kNothing},
      {{"observations", "export"}, Shows::kCsv},
      {{"observations", "import", files.rows, "--unknown-ok"}, Shows::kText},
      {{"observations", "forget", "--job", "j"}, Shows::kNothing},
      {{"token", "create", "t", "--role", "viewer"}, Shows::kText},
      {{"token", "list"}, Shows::kText},
      {{"token", "revoke", "t"}, Shows::kNothing},
      {{"token", "whoami"}, Shows::kText},
      {{"audit"}, Shows::kText},
      {{"watch", "m", "--limit", "1"}, Shows::kText},
      {{"doctor"}, Shows::kText},
      {{"store", "status"}, Shows::kText},
      {{"store", "backup"}, Shows::kText},
      {{"store", "check"}, Shows::kNothing},
      {{"store", "compact"}, Shows::kNothing},
  };
}

// Verbs that ask no daemon.
const std::set<std::string> kAskNobody = {"help", "version", "store restore"};

struct Outcome {
  int exit_code;
  std::string out;
  std::string err;
};

Outcome Cox(std::vector<std::string> words) {
  words.insert(words.begin(), "cox");
  std::vector<const char*> argv;
  for (const std::string& word : words) argv.push_back(word.c_str());
  std::ostringstream out;
  std::ostringstream err;
  const int exit_code = Run(static_cast<int>(argv.size()), argv.data(), out, err);
  return {exit_code, out.str(), err.str()};
}

// Text that passes Printable(), line by line; "\r\n" ends a line of CSV.
void ExpectHarmless(absl::string_view text) {
  for (const absl::string_view line :
       absl::StrSplit(absl::StrReplaceAll(text, {{"\r\n", "\n"}}), absl::ByAnyChar("\n\t"))) {
    EXPECT_EQ(console::Printable(line), line);
  }
}

void ExpectNoForgedLine(absl::string_view text) {
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    EXPECT_FALSE(absl::StartsWith(line, "FORGED")) << text;
  }
}

class HostileTextsTest : public ::testing::Test {
 protected:
  static Outcome Ask(const HostileDaemon& daemon, const Case& one, bool as_json) {
    std::vector<std::string> words = {"--server", daemon.address(), "--timeout", "20"};
    if (as_json) words.emplace_back("--json");
    words.insert(words.end(), one.words.begin(), one.words.end());
    return Cox(std::move(words));
  }
};

TEST_F(HostileTextsTest, NoVerbPrintsWhatSteersATerminal) {
  const HostileDaemon daemon;
  for (const Case& one : Cases({daemon.folder()})) {
    SCOPED_TRACE(absl::StrJoin(one.words, " "));
    const Outcome outcome = Ask(daemon, one, /*as_json=*/false);
    const std::string all = outcome.out + outcome.err;
    ExpectHarmless(all);
    const bool is_file = one.shows == Shows::kFile || one.shows == Shows::kCsv;
    if (!is_file) ExpectNoForgedLine(all);
    // The test must get as far as to what is printed.
    const bool shows_text = is_file || one.shows == Shows::kText;
    EXPECT_EQ(absl::StrContains(all, "evil"), shows_text) << all;
  }
}

TEST_F(HostileTextsTest, JsonStaysJsonAndKeepsTheTexts) {
  const HostileDaemon daemon;
  const std::string quoted = nlohmann::json(kEvil).dump();
  const std::string text = quoted.substr(1, quoted.size() - 2);
  for (const Case& one : Cases({daemon.folder()})) {
    SCOPED_TRACE(absl::StrJoin(one.words, " "));
    const Outcome outcome = Ask(daemon, one, /*as_json=*/true);
    ExpectHarmless(outcome.out + outcome.err);
    if (one.shows == Shows::kCsv) continue;
    ExpectNoForgedLine(outcome.out + outcome.err);
    for (const absl::string_view line : absl::StrSplit(outcome.out, '\n', absl::SkipEmpty())) {
      const auto document = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
      EXPECT_FALSE(document.is_discarded()) << line;
      if (document.is_discarded() || !absl::StrContains(line, "\\u001b")) continue;
      EXPECT_THAT(document.dump(), HasSubstr(text));
    }
  }
}

TEST_F(HostileTextsTest, ErrorsAreOneLine) {
  const HostileDaemon daemon(grpc::StatusCode::INVALID_ARGUMENT);
  for (const Case& one : Cases({daemon.folder()})) {
    SCOPED_TRACE(absl::StrJoin(one.words, " "));
    const Outcome outcome = Ask(daemon, one, /*as_json=*/false);
    ExpectHarmless(outcome.out + outcome.err);
    ExpectNoForgedLine(outcome.out + outcome.err);
  }
}

TEST_F(HostileTextsTest, EveryVerbIsTested) {
  GlobalOptions options;
  std::set<std::string> verbs;
  for (const VerbDescription& verb : MakeCommandLine(options)->Describe()) {
    if (verb.verbs.empty()) verbs.insert(absl::StrJoin(verb.path, " "));
  }
  const Folder folder;
  for (const Case& one : Cases({folder})) {
    verbs.erase(one.words[0]);
    if (one.words.size() > 1) verbs.erase(one.words[0] + " " + one.words[1]);
  }
  EXPECT_EQ(verbs, kAskNobody);
}

}  // namespace
}  // namespace cox::cli
