#include "collectives/protocols/sparse_exchange.h"

#include <deque>
#include <utility>
#include <vector>

#include "collectives/engine/error.h"

namespace cox::collectives {
namespace {

class SparseExchange final : public Protocol {
 public:
  explicit SparseExchange(std::unique_ptr<Mail> mail) : mail_(std::move(mail)) {}

  int Start(Operation* operation) override {
    std::vector<Outgoing> messages;
    COX_TRY(mail_->Collect(operation, &messages));
    largest_ = LoadOf(messages, operation->rank());
    for (const Outgoing& message : messages) {
      if (message.destination == operation->rank()) {
        COX_TRY(mail_->Deliver(operation, operation->rank(), message.data, message.bytes));
        continue;
      }
      COX_TRY(operation->SendSynchronously(message.data, message.bytes, message.destination,
                                           kMessageSent, kData));
      ++to_send_;
    }
    return to_send_ == 0 ? BeginRound(operation) : MPI_SUCCESS;
  }

  int Poll(Operation* operation, bool* again, bool* happened) override {
    bool is_there = true;
    *happened = false;
    while (is_there) {
      Operation::Found found;
      COX_TRY(operation->Look(MPI_ANY_SOURCE, &is_there, &found, kData));
      if (!is_there) break;
      *happened = true;
      Arrival& arrival = arrivals_.emplace_back();
      arrival.source = found.source;
      arrival.data.resize(static_cast<size_t>(found.bytes));
      COX_TRY(operation->ReceiveFound(&found, arrival.data.data(), kMessageReceived));
    }
    *again = !all_know_;
    return MPI_SUCCESS;
  }

  int Done(Operation* operation, int token) override {
    if (token == kMessageSent && --to_send_ == 0) return BeginRound(operation);
    if (token == kRound && --round_under_way_ == 0) {
      largest_.Add(heard_);
      distance_ *= 2;
      return BeginRound(operation);
    }
    return MPI_SUCCESS;
  }

  int Finish(Operation* operation) override {
    mail_->Hear(largest_);
    for (const Arrival& arrival : arrivals_) {
      COX_TRY(mail_->Deliver(operation, arrival.source, arrival.data.data(),
                             static_cast<int64_t>(arrival.data.size())));
    }
    return mail_->Finish(operation);
  }

 private:
  enum Token { kMessageSent, kMessageReceived, kRound };
  enum Stream { kData, kBarrier };

  struct Arrival {
    int source;
    std::vector<char> data;
  };

  // The barrier: after the round of distance d a rank has heard, directly or through others, from
  // the 2d - 1 ranks before it, and knows the largest load among them.
  int BeginRound(Operation* operation) {
    const int ranks = operation->ranks();
    if (distance_ >= ranks) {
      all_know_ = true;
      return MPI_SUCCESS;
    }
    round_under_way_ = 2;
    COX_TRY(operation->Receive(&heard_, sizeof(heard_),
                               static_cast<int>((operation->rank() + ranks - distance_) % ranks),
                               kRound, kBarrier));
    return operation->Send(&largest_, sizeof(largest_),
                           static_cast<int>((operation->rank() + distance_) % ranks), kRound,
                           kBarrier);
  }

  const std::unique_ptr<Mail> mail_;
  std::deque<Arrival> arrivals_;  // in order of arrival; their memory stays in place
  LargestLoad largest_, heard_;
  int to_send_ = 0;
  int64_t distance_ = 1;
  int round_under_way_ = 0;
  bool all_know_ = false;
};

}  // namespace

std::unique_ptr<Protocol> MakeSparseExchange(std::unique_ptr<Mail> mail) {
  return std::make_unique<SparseExchange>(std::move(mail));
}

}  // namespace cox::collectives
