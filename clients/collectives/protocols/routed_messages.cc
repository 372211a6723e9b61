#include "collectives/protocols/routed_messages.h"

#include <cstring>
#include <map>
#include <utility>

#include "collectives/choice/cost.h"
#include "collectives/engine/error.h"

namespace cox::collectives {
namespace {

// A group begins with a head, then come all records, then the data of all.
struct Record {
  int32_t source;
  int32_t destination;
  int64_t bytes;
};
static_assert(sizeof(Record) == kRecordBytes);

struct Head {
  int64_t records;
  LargestLoad largest;  // that the sender knows
};
static_assert(sizeof(Head) == kHeadBytes);

// A record and the address of its data.
struct Parcel {
  Record record;
  const char* data;
};

std::vector<char> Combine(const std::vector<Parcel>& parcels, const LargestLoad& largest) {
  size_t bytes = sizeof(Head) + parcels.size() * sizeof(Record);
  for (const Parcel& parcel : parcels) bytes += static_cast<size_t>(parcel.record.bytes);
  std::vector<char> message(bytes);
  char* next = message.data();
  const auto append = [&next](const void* data, size_t size) {
    if (size > 0) std::memcpy(next, data, size);
    next += size;
  };
  const Head head = {static_cast<int64_t>(parcels.size()), largest};
  append(&head, sizeof(head));
  for (const Parcel& parcel : parcels) append(&parcel.record, sizeof(Record));
  for (const Parcel& parcel : parcels) {
    append(parcel.data, static_cast<size_t>(parcel.record.bytes));
  }
  return message;
}

Head HeadOf(const std::vector<char>& message) {
  Head head;
  std::memcpy(&head, message.data(), sizeof(head));
  return head;
}

template <typename Function>
int ForEachParcel(const std::vector<char>& message, const Function& function) {
  const int64_t count = HeadOf(message).records;
  const char* record_at = message.data() + sizeof(Head);
  const char* data = record_at + static_cast<size_t>(count) * sizeof(Record);
  for (int64_t i = 0; i < count; ++i) {
    Parcel parcel = {{}, data};
    std::memcpy(&parcel.record, record_at, sizeof(Record));
    record_at += sizeof(Record);
    data += parcel.record.bytes;
    COX_TRY(function(parcel));
  }
  return MPI_SUCCESS;
}

class RoutedMessages final : public Protocol {
 public:
  RoutedMessages(std::unique_ptr<Mail> mail, const Topology& topology, const Route& route)
      : mail_(std::move(mail)), topology_(topology), route_(route) {}

  int Start(Operation* operation) override {
    std::vector<Outgoing> messages;
    COX_TRY(mail_->Collect(operation, &messages));
    largest_ = LoadOf(messages, operation->rank());
    for (const Outgoing& message : messages) {
      COX_TRY(
          Take(operation, {{operation->rank(), message.destination, message.bytes}, message.data}));
    }
    return BeginPhase(operation);
  }

  int Poll(Operation* operation, bool* again, bool* happened) override {
    *happened = false;
    if (phase_ < route_.phases.size()) {
      const std::vector<Route::Receive>& receives = route_.phases[phase_].receives;
      for (size_t leg = 0; leg < receives.size(); ++leg) {
        if (is_found_[leg] != 0) continue;
        bool is_there = false;
        Operation::Found found;
        COX_TRY(operation->Look(receives[leg].peer, &is_there, &found));
        if (!is_there) continue;
        *happened = true;
        is_found_[leg] = 1;
        --to_find_;
        arrived_[leg].resize(static_cast<size_t>(found.bytes));
        COX_TRY(operation->ReceiveFound(&found, arrived_[leg].data(), kReceive));
      }
    }
    *again = to_find_ > 0;
    return MPI_SUCCESS;
  }

  int Done(Operation* operation, int token) override {
    if (token != kReceive) {
      sent_.erase(token);
      return MPI_SUCCESS;
    }
    if (--to_come_ > 0) return MPI_SUCCESS;
    // In the order of the peers, not of arrival.
    for (std::vector<char>& message : arrived_) {
      largest_.Add(HeadOf(message).largest);
      COX_TRY(ForEachParcel(message, [&](const Parcel& p) { return Take(operation, p); }));
      passed_on_.push_back(std::move(message));
    }
    ++phase_;
    return BeginPhase(operation);
  }

  int Finish(Operation* operation) override {
    mail_->Hear(largest_);
    return mail_->Finish(operation);
  }

 private:
  static constexpr int kReceive = -1;  // the tokens of sends are their numbers

  int Take(Operation* operation, const Parcel& parcel) {
    if (parcel.record.destination == operation->rank()) {
      return mail_->Deliver(operation, parcel.record.source, parcel.data, parcel.record.bytes);
    }
    held_.push_back(parcel);
    return MPI_SUCCESS;
  }

  // Sends this phase's messages, and those of the next phases until one has something to receive.
  int BeginPhase(Operation* operation) {
    for (; phase_ < route_.phases.size(); ++phase_) {
      const Route::Phase& phase = route_.phases[phase_];
      COX_TRY(SendPhase(operation, phase));
      to_find_ = to_come_ = static_cast<int>(phase.receives.size());
      is_found_.assign(phase.receives.size(), 0);
      arrived_.assign(phase.receives.size(), {});
      if (to_come_ > 0) return MPI_SUCCESS;
    }
    return MPI_SUCCESS;
  }

  int SendPhase(Operation* operation, const Route::Phase& phase) {
    std::map<int, std::vector<Parcel>> by_peer;
    std::vector<Parcel> staying;
    for (const Parcel& parcel : held_) {
      const int next =
          topology_.NextHop(operation->rank(), parcel.record.destination, static_cast<int>(phase_));
      (next == operation->rank() ? staying : by_peer[next]).push_back(parcel);
    }
    held_ = std::move(staying);
    for (const Route::Send& send : phase.sends) {
      const int token = next_token_++;
      const std::vector<char>& message = sent_[token] = Combine(by_peer[send.peer], largest_);
      COX_TRY(
          operation->Send(message.data(), static_cast<int64_t>(message.size()), send.peer, token));
    }
    return MPI_SUCCESS;
  }

  const std::unique_ptr<Mail> mail_;
  const Topology topology_;
  const Route& route_;
  LargestLoad largest_;                    // known so far
  std::vector<Parcel> held_;               // for others, in order of arrival
  std::map<int, std::vector<char>> sent_;  // pending, by token
  int next_token_ = 0;
  // Of the current phase, by the receives of the route.
  size_t phase_ = 0;
  std::vector<std::vector<char>> arrived_;
  std::vector<char> is_found_;
  int to_find_ = 0;
  int to_come_ = 0;
  std::vector<std::vector<char>> passed_on_;  // memory that held_ points into
};

}  // namespace

LargestLoad LoadOf(const std::vector<Outgoing>& messages, int rank) {
  LargestLoad load;
  for (const Outgoing& message : messages) {
    if (message.destination == rank) continue;
    ++load.messages;
    load.bytes += message.bytes;
  }
  return load;
}

std::unique_ptr<Protocol> MakeRoutedMessages(std::unique_ptr<Mail> mail, const Topology& topology,
                                             const Route& route) {
  return std::make_unique<RoutedMessages>(std::move(mail), topology, route);
}

}  // namespace cox::collectives
