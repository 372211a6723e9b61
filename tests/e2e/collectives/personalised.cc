// Compares cox_ialltoall, cox_ialltoallv and cox_imany with MPI's own functions, bit for bit:
// random sizes, types and algorithms, several at once.
//
//   personalised CASES_PER_GROUP SEED
#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cases.h"

namespace cox::test {
namespace {

constexpr const char* kAlltoall[] = {"direct",
                                     "windowed",
                                     "windowed?window=1",
                                     "windowed?window=2",
                                     "windowed?window=4",
                                     "windowed?window=16",
                                     "pairwise",
                                     "bruck",
                                     "mesh2d",
                                     "mesh2d?columns=2",
                                     "grid3d",
                                     "hypercube",
                                     nullptr};

constexpr const char* kAlltoallv[] = {
    "direct", "windowed?window=2", "pairwise", "mesh2d", "mesh2d?columns=3",
    "grid3d", "hypercube",         nullptr};
constexpr const char* kMany[] = {"direct", "mesh2d",    "mesh2d?columns=2",
                                 "grid3d", "hypercube", nullptr};

class AlltoallCase final : public Case {
 public:
  AlltoallCase(Random& random, const Datatypes& datatypes, int ranks, int rank)
      : pair_(datatypes.Pick(random)),
        units_(Draw(random, 0, 3) == 0 ? 0 : Draw(random, 1, 40)),
        algorithm_(Pick(random, kAlltoall, std::size(kAlltoall))),
        is_in_place_(Draw(random, 0, 4) == 0) {
    if (is_in_place_) pair_[0] = pair_[1];
    const uint64_t seed = random();
    sent_ = Filled(pair_[0].type, int64_t{ranks} * units_ * pair_[0].count, Mix(seed, rank));
    received_ = Filled(pair_[1].type, int64_t{ranks} * units_ * pair_[1].count,
                       Mix(seed, rank, is_in_place_ ? 1 : 2));
    expected_ = received_;
    // Open MPI's own non-blocking all-to-alls in place can hang.
    if (is_in_place_) sent_ = received_;
    name = std::string("alltoall ") + (algorithm_ == nullptr ? "NULL" : algorithm_) + " " +
           pair_[0].name + " to " + pair_[1].name + " x " + std::to_string(units_) +
           (is_in_place_ ? " in place" : "");
  }

  int Start(MPI_Comm comm) override {
    return cox_ialltoall(is_in_place_ ? MPI_IN_PLACE : sent_.data(), units_ * pair_[0].count,
                         pair_[0].type, received_.data(), units_ * pair_[1].count, pair_[1].type,
                         comm, algorithm_, &request);
  }

  bool IsRight(MPI_Comm comm) override {
    MPI_Request reference;
    MPI_Ialltoall(sent_.data(), units_ * pair_[0].count, pair_[0].type, expected_.data(),
                  units_ * pair_[1].count, pair_[1].type, comm, &reference);
    WaitFor(&reference);
    return received_ == expected_;
  }

 private:
  std::array<Element, 2> pair_;
  int units_;
  const char* algorithm_;
  bool is_in_place_;
  Memory sent_, received_, expected_;
};

class AlltoallvCase final : public Case {
 public:
  AlltoallvCase(Random& random, const Datatypes& datatypes, int ranks, int rank)
      : pair_(datatypes.Pick(random)),
        algorithm_(Pick(random, kAlltoallv, std::size(kAlltoallv))),
        is_in_place_(Draw(random, 0, 4) == 0),
        seed_(random()),
        emptiness_(Draw(random, 0, 3)) {
    if (is_in_place_) pair_[0] = pair_[1];
    const int64_t sent = Place(
        pair_[0], ranks, [&](int peer) { return UnitsOf(rank, peer); }, &send_counts_,
        &send_places_);
    const int64_t received = Place(
        pair_[1], ranks, [&](int peer) { return UnitsOf(peer, rank); }, &receive_counts_,
        &receive_places_);
    sent_ = Filled(pair_[0].type, sent, Mix(seed_, rank));
    received_ = Filled(pair_[1].type, received, Mix(seed_, rank, 1));
    expected_ = received_;
    // Open MPI's own non-blocking all-to-alls in place can hang.
    if (is_in_place_) sent_ = received_;
    name = std::string("alltoallv ") + (algorithm_ == nullptr ? "NULL" : algorithm_) + " " +
           pair_[0].name + " to " + pair_[1].name + (is_in_place_ ? " in place" : "");
  }

  int Start(MPI_Comm comm) override {
    return cox_ialltoallv(is_in_place_ ? MPI_IN_PLACE : sent_.data(), send_counts_.data(),
                          send_places_.data(), pair_[0].type, received_.data(),
                          receive_counts_.data(), receive_places_.data(), pair_[1].type, comm,
                          algorithm_, &request);
  }

  bool IsRight(MPI_Comm comm) override {
    MPI_Request reference;
    MPI_Ialltoallv(sent_.data(), send_counts_.data(), send_places_.data(), pair_[0].type,
                   expected_.data(), receive_counts_.data(), receive_places_.data(), pair_[1].type,
                   comm, &reference);
    WaitFor(&reference);
    return received_ == expected_;
  }

 private:
  // In place, both directions carry equally many bytes.
  int UnitsOf(int source, int destination) const {
    if (is_in_place_ && source > destination) std::swap(source, destination);
    Random random(Mix(seed_, source, destination));
    return Draw(random, 0, 3) < emptiness_ ? 0 : Draw(random, 0, 30);
  }

  // Blocks in descending order of ranks, with holes between them. Returns the number of elements.
  template <typename Units>
  int64_t Place(const Element& element, int ranks, const Units& units, std::vector<int>* counts,
                std::vector<int>* places) {
    counts->resize(static_cast<size_t>(ranks));
    places->resize(static_cast<size_t>(ranks));
    int next = 1;
    for (int peer = ranks - 1; peer >= 0; --peer) {
      (*places)[static_cast<size_t>(peer)] = next;
      (*counts)[static_cast<size_t>(peer)] = units(peer) * element.count;
      next += (*counts)[static_cast<size_t>(peer)] + 1;
    }
    return next;
  }

  std::array<Element, 2> pair_;
  const char* algorithm_;
  bool is_in_place_;
  uint64_t seed_;
  int emptiness_;  // quarters of the blocks that are empty
  std::vector<int> send_counts_, send_places_, receive_counts_, receive_places_;
  Memory sent_, received_, expected_;
};

// MPI has no such function; the seed tells what must arrive.
class ManyCase final : public Case {
 public:
  ManyCase(Random& random, int ranks, int rank)
      : algorithm_(Pick(random, kMany, std::size(kMany))),
        seed_(random()),
        most_(Draw(random, 0, 3) == 0 ? 3 * ranks : 4),
        ranks_(ranks),
        rank_(rank) {
    data_ = MessagesOf(rank);
    for (const Message& message : data_) {
      messages_.push_back(
          {message.rank, static_cast<int64_t>(message.data.size()), message.data.data()});
    }
    name = std::string("many ") + (algorithm_ == nullptr ? "NULL" : algorithm_);
    is_many = true;
  }

  int Start(MPI_Comm comm) override {
    const int code =
        cox_imany(messages_.data(), static_cast<int>(messages_.size()), comm, algorithm_, &request);
    messages_.assign(messages_.size(), {-1, -1, nullptr});  // they were copied
    return code;
  }

  bool IsRight(MPI_Comm) override {
    int next = 0;
    bool is_right = true;
    for (int source = 0; source < ranks_; ++source) {
      for (const Message& message : MessagesOf(source)) {
        if (message.rank != rank_) continue;
        is_right = is_right && next < count && received[next].rank == source &&
                   received[next].bytes == static_cast<int64_t>(message.data.size()) &&
                   std::equal(message.data.begin(), message.data.end(),
                              static_cast<const unsigned char*>(received[next].data));
        ++next;
      }
    }
    cox_free(received);
    return is_right && next == count;
  }

 private:
  struct Message {
    int rank;
    Memory data;
  };

  std::vector<Message> MessagesOf(int source) const {
    Random random(Mix(seed_, source));
    std::vector<Message> messages(static_cast<size_t>(Draw(random, 0, most_)));
    for (Message& message : messages) {
      message.rank = Draw(random, 0, ranks_ - 1);
      const int bytes = Draw(random, 0, 4) == 0 ? 0 : Draw(random, 1, 3000);
      message.data = Filled(MPI_BYTE, bytes - 1, random());
    }
    return messages;
  }

  const char* algorithm_;
  uint64_t seed_;
  int most_, ranks_, rank_;
  std::vector<Message> data_;
  std::vector<cox_message> messages_;
};

std::unique_ptr<Case> DrawCase(Random& random, const Datatypes& datatypes, int ranks, int rank) {
  switch (Draw(random, 0, 2)) {
    case 0:
      return std::make_unique<AlltoallvCase>(random, datatypes, ranks, rank);
    case 1:
      return std::make_unique<ManyCase>(random, ranks, rank);
    default:
      return std::make_unique<AlltoallCase>(random, datatypes, ranks, rank);
  }
}

}  // namespace
}  // namespace cox::test

int main(int argc, char** argv) { return cox::test::RunCases(argc, argv, cox::test::DrawCase); }
