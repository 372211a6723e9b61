#include "service/entry/builder_limits.h"

#include <grpc/compression.h>
#include <grpcpp/resource_quota.h>

#include <cstdint>
#include <utility>

namespace cox::service {
namespace {

constexpr int64_t kBufferShare = 4;  // a quarter
constexpr int kHandshakeTimeoutMs = 10'000;
// A call takes about 13 kB from its headers on, before anybody knows who calls. So many calls on
// each of quota-connections fit into the buffers.
constexpr int kStreamsPerConnection = 32;
// Of gRPC's reflection, the only service that has a thread for each stream, and that strangers may
// call. Beyond them gRPC answers RESOURCE_EXHAUSTED.
constexpr int kMaxThreads = 8;

}  // namespace

void AddLimits(const daemon::Config& config, grpc::ServerBuilder* builder,
               const Keepalive& keepalive) {
  const std::pair<const char*, int> limits[] = {
      {GRPC_ARG_MAX_CONNECTION_IDLE_MS, static_cast<int>(config.idle_timeout_s * 1e3)},
      {GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, kHandshakeTimeoutMs},
      {GRPC_ARG_KEEPALIVE_TIME_MS, keepalive.silence_ms},
      {GRPC_ARG_KEEPALIVE_TIMEOUT_MS, keepalive.patience_ms},
      {GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1},
      {GRPC_ARG_MAX_CONCURRENT_STREAMS, kStreamsPerConnection},
      // gRPC compares the compressed bytes with the largest message, and holds all that it has
      // decompressed in memory.
      {GRPC_ARG_ENABLE_PER_MESSAGE_DECOMPRESSION, 0},
  };
  for (const auto& [name, value] : limits) builder->AddChannelArgument(name, value);
  for (const grpc_compression_algorithm algorithm : {GRPC_COMPRESS_DEFLATE, GRPC_COMPRESS_GZIP}) {
    builder->SetCompressionAlgorithmSupportStatus(algorithm, false);
  }
  builder->SetMaxReceiveMessageSize(static_cast<int>(config.max_message_bytes));
  grpc::ResourceQuota quota("coxd");
  quota.Resize(static_cast<size_t>(config.max_memory_bytes / kBufferShare));
  quota.SetMaxThreads(kMaxThreads);
  builder->SetResourceQuota(quota);
}

}  // namespace cox::service
