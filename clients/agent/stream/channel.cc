#include "agent/stream/channel.h"

#include <grpc/support/log.h>
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "munge/munge.h"
#include "servers/first_ready.h"
#include "servers/server_list.h"

namespace cox::agent {
namespace {

constexpr int kReconnectMs = 1'000;
constexpr int kMaxReconnectMs = 30'000;

constexpr size_t kMaxTokenBytes = 4'096;
// Each costs a failed open() per call to coxd.
constexpr int64_t kMostNodes = 10'000;

// The only word of a file; "" without one. `path` may be null.
std::string WordIn(const char* path) {
  if (path == nullptr) return "";
  std::ifstream file(path);
  std::string word;
  // gRPC ends the process when it is given other bytes as metadata.
  const bool is_good =
      file >> word && word.size() <= kMaxTokenBytes &&
      std::all_of(word.begin(), word.end(), [](unsigned char c) { return c > ' ' && c <= '~'; });
  return is_good ? word : "";
}

servers::CheckedChannel MakeChannel(const std::string& server) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, kReconnectMs);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, kReconnectMs);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, kMaxReconnectMs);
  // A new channel does not inherit the waiting time of an old one to the same daemon.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  servers::AddBalancing(server, &arguments);
  arguments.SetUserAgentPrefix("cox-agent");
  return servers::CheckedChannel({.server = server,
                                  .user = servers::UserFromEnvironment(),
                                  .credentials = grpc::InsecureChannelCredentials(),
                                  .arguments = arguments});
}

}  // namespace

std::string JobCredential() {
  const char* named = std::getenv("COX_JOB_CREDENTIAL");
  std::string word = WordIn(named);
  const char* job = std::getenv("SLURM_JOB_ID");
  const char* step = std::getenv("SLURM_STEP_ID");
  const char* node_count = std::getenv("SLURM_STEP_NUM_NODES");
  if (!word.empty() || named == nullptr || job == nullptr || step == nullptr ||
      node_count == nullptr) {
    return word;
  }
  // The plugin's names. Which node of the step this is, the launcher's variables hide, too.
  const std::string path(named);
  const std::string of_step =
      absl::StrCat(path.substr(0, path.rfind('/') + 1), job, ".", step, ".");
  int64_t nodes = 0;
  if (!absl::SimpleAtoi(node_count, &nodes)) return "";
  for (int64_t i = 0; i < std::min(nodes, kMostNodes) && word.empty(); ++i) {
    word = WordIn(absl::StrCat(of_step, i).c_str());
  }
  return word;
}

void Sign(const std::string& target, const std::string& path, grpc::ClientContext* context) {
  munge::Options munge = munge::FromEnvironment();
  munge.job_credential = JobCredential();
  if (!munge.reader.empty() && munge::IsUseful(target)) {
    const auto authorization = munge::Authorization(munge, target, path);
    if (authorization.ok()) context->AddMetadata("authorization", *authorization);
    return;
  }
  if (!servers::IsLocal(target)) return;
  std::string token = WordIn(std::getenv("COX_TOKEN_FILE"));
  if (token.empty()) token = std::move(munge.job_credential);
  if (!token.empty()) context->AddMetadata("authorization", "Bearer " + token);
}

absl::StatusOr<std::vector<servers::CheckedChannel>> MakeChannels(const std::string& servers) {
  absl::StatusOr<std::vector<std::string>> parsed = servers::ParseServers(servers);
  if (!parsed.ok()) return parsed.status();
  // gRPC's log lines must not reach the application's stderr.
  gpr_set_log_function([](gpr_log_func_args*) {});
  std::vector<servers::CheckedChannel> channels;
  for (const std::string& server : servers::Shuffled(*std::move(parsed), servers::RandomSeed())) {
    channels.push_back(MakeChannel(server));
  }
  return channels;
}

std::string ToString(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  std::string text;
  if (!buffer.Dump(&slices).ok()) return text;
  for (const grpc::Slice& slice : slices) {
    text.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  return text;
}

}  // namespace cox::agent
