#include "collectives/protocols/many.h"

#include <algorithm>
#include <string>
#include <utility>

#include "collectives/api/arguments.h"
#include "collectives/choice/cost.h"
#include "collectives/choice/many_choice.h"
#include "collectives/engine/error.h"
#include "collectives/engine/request.h"
#include "collectives/protocols/many_memory.h"
#include "collectives/protocols/sparse_exchange.h"

namespace cox::collectives {
namespace {

class ProgramMail final : public Mail {
 public:
  ProgramMail(std::span<const cox_message> messages, std::shared_ptr<ManyMemory> memory)
      : memory_(std::move(memory)) {
    for (const cox_message& message : messages) {
      messages_.push_back({message.rank, message.bytes, static_cast<const char*>(message.data)});
    }
  }

  int Collect(Operation*, std::vector<Outgoing>* messages) override {
    *messages = messages_;
    return MPI_SUCCESS;
  }

  int Deliver(Operation* operation, int source, const char* data, int64_t bytes) override {
    std::vector<char> copy(static_cast<size_t>(bytes));
    if (bytes > 0) std::copy(data, data + bytes, copy.begin());
    operation->inbox()->messages.push_back({source, std::move(copy)});
    return MPI_SUCCESS;
  }

  void Hear(const LargestLoad& largest) override {
    if (memory_ != nullptr) memory_->largest = largest;
  }

  int Finish(Operation* operation) override {
    auto& messages = operation->inbox()->messages;
    std::stable_sort(messages.begin(), messages.end(),
                     [](const auto& a, const auto& b) { return a.source < b.source; });
    return MPI_SUCCESS;
  }

 private:
  std::vector<Outgoing> messages_;
  const std::shared_ptr<ManyMemory> memory_;
};

std::unique_ptr<Protocol> MakeProtocol(const AlgorithmChoice& choice, Channel& channel,
                                       std::span<const cox_message> messages,
                                       std::shared_ptr<ManyMemory> memory) {
  auto mail = std::make_unique<ProgramMail>(messages, std::move(memory));
  if (const auto routing = RoutingOf(choice.id)) {
    return MakeRoutedMessages(std::move(mail), Topology(*routing, channel.ranks(), choice.knob),
                              channel.RouteBy(*routing, choice.knob));
  }
  return MakeSparseExchange(std::move(mail));
}

std::unique_ptr<Protocol> MakeChoice(std::shared_ptr<Channel> channel,
                                     std::span<const cox_message> messages,
                                     std::shared_ptr<ManyMemory> memory) {
  LargestLoad own;
  for (const cox_message& message : messages) {
    if (message.rank == channel->rank()) continue;
    ++own.messages;
    own.bytes += message.bytes;
  }
  std::shared_ptr<ManyMemory> former = channel->Succeed(memory);
  return MakeManyChoice(std::move(former), own,
                        [channel = std::move(channel), memory = std::move(memory),
                         copy = std::vector<cox_message>(messages.begin(), messages.end())](
                            const LargestLoad& largest) {
                          const domain::CostProfile& costs = channel->costs();
                          const double direct_s = MessagesSeconds(largest, costs) +
                                                  EndOfDirectSeconds(channel->ranks(), costs);
                          const AlgorithmChoice choice =
                              CheapestOfMessages(channel->exchange_costs(), direct_s, largest);
                          return Chosen{MakeProtocol(choice, *channel, copy, memory),
                                        FormatAlgorithm(choice, kManyRows)};
                        });
}

int Many(const cox_message messages[], int count, MPI_Comm comm, const char* algorithm,
         cox_request* request) {
  COX_TRY(CheckCall(request));
  AlgorithmChoice choice;
  if (algorithm != nullptr) COX_TRY(CheckAlgorithm(algorithm, kManyRows, &choice));
  std::shared_ptr<Channel> channel;
  COX_TRY(Channel::Open(comm, &channel));
  COX_TRY(CheckMessages(messages, count, channel->ranks()));
  const std::span<const cox_message> all(messages, static_cast<size_t>(count));
  const auto memory = algorithm == nullptr ? std::make_shared<ManyMemory>() : nullptr;
  auto protocol =
      algorithm == nullptr ? MakeChoice(channel, all, memory) : MakeMany(choice, *channel, all);
  std::string name = algorithm == nullptr ? "" : FormatAlgorithm(choice, kManyRows);
  auto operation =
      std::make_shared<Operation>(std::move(channel), std::move(name), std::move(protocol));
  operation->KeepInbox();
  if (memory != nullptr) memory->operation = operation;
  StartRequest(std::move(operation), request);
  return MPI_SUCCESS;
}

}  // namespace

int CheckMessages(const cox_message messages[], int count, int ranks) {
  COX_TRY(CheckCount(count, "count"));
  COX_TRY(CheckBuffer(messages, count, "messages"));
  for (int i = 0; i < count; ++i) {
    const cox_message& message = messages[i];
    if (message.rank >= 0 && message.rank < ranks && message.bytes >= 0 &&
        (message.bytes == 0 || message.data != nullptr)) {
      continue;
    }
    const std::string name = "messages[" + std::to_string(i) + "].";
    COX_TRY(CheckRank(message.rank, ranks, (name + "rank").c_str()));
    COX_TRY(CheckCount(message.bytes, (name + "bytes").c_str()));
    COX_TRY(CheckBuffer(message.data, message.bytes, (name + "data").c_str()));
  }
  return MPI_SUCCESS;
}

std::unique_ptr<Protocol> MakeMany(const AlgorithmChoice& choice, Channel& channel,
                                   std::span<const cox_message> messages) {
  return MakeProtocol(choice, channel, messages, nullptr);
}

}  // namespace cox::collectives

int cox_imany(const cox_message messages[], int count, MPI_Comm comm, const char* algorithm,
              cox_request* request) {
  return cox::collectives::Guarded(
      [&] { return cox::collectives::Many(messages, count, comm, algorithm, request); });
}
