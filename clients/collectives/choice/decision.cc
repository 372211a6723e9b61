#include "collectives/choice/decision.h"

#include <list>
#include <utility>

#include "collectives/engine/error.h"
#include "topology/rooted_tree.h"

namespace cox::collectives {
namespace {

using topology::RootedTree;

class Decision final : public Protocol {
 public:
  Decision(std::vector<char> own_words, DecisionSteps steps)
      : words_(std::move(own_words)), steps_(std::move(steps)) {}

  int Start(Operation* operation) override {
    const RootedTree tree = RootedTree::Binomial(operation->ranks(), 0);
    const int rank = operation->rank();
    for (int level = 0; level < tree.level_count(); ++level) {
      const int64_t children = tree.ChildCount(rank, level);
      for (int64_t i = 0; i < children; ++i) {
        children_.push_back(static_cast<int>(tree.ChildAt(rank, level, i).child));
      }
    }
    silent_ = children_;
    const int level = tree.LevelOf(rank);
    if (level >= 0) parent_ = static_cast<int>(tree.ParentOf(rank, level).parent);
    decision_.resize(steps_.decision_bytes);
    return silent_.empty() ? PassUp(operation) : MPI_SUCCESS;
  }

  // Reports of children may have any length.
  int Poll(Operation* operation, bool* again, bool* happened) override {
    for (size_t i = 0; i < silent_.size();) {
      Operation::Found found;
      bool is_there = false;
      COX_TRY(operation->Look(silent_[i], &is_there, &found, kUp));
      if (!is_there) {
        ++i;
        continue;
      }
      *happened = true;
      silent_.erase(silent_.begin() + static_cast<std::ptrdiff_t>(i));
      std::vector<char>& words = heard_.emplace_back(static_cast<size_t>(found.bytes));
      COX_TRY(operation->ReceiveFound(&found, words.data(), kHeard));
      ++out_;
    }
    *again = !silent_.empty();
    return MPI_SUCCESS;
  }

  int Done(Operation* operation, int token) override {
    --out_;
    if (token == kHeard && silent_.empty() && out_ == 0) {
      for (const std::vector<char>& words : heard_) {
        words_.insert(words_.end(), words.begin(), words.end());
      }
      return PassUp(operation);
    }
    if (token == kDecided) return PassDown(operation);
    return GoOn(operation);
  }

 private:
  enum Token : int { kHeard, kToldUp, kDecided, kToldDown };
  static constexpr int kUp = 1;  // streams
  static constexpr int kDown = 2;

  int PassUp(Operation* operation) {
    if (parent_ < 0) {
      decision_ = steps_.decide(words_);
      return PassDown(operation);
    }
    COX_TRY(operation->Receive(decision_.data(), static_cast<int64_t>(decision_.size()), parent_,
                               kDecided, kDown));
    ++out_;
    COX_TRY(
        operation->Send(words_.data(), static_cast<int64_t>(words_.size()), parent_, kToldUp, kUp));
    ++out_;
    return MPI_SUCCESS;
  }

  int PassDown(Operation* operation) {
    is_decided_ = true;
    for (const int child : children_) {
      COX_TRY(operation->Send(decision_.data(), static_cast<int64_t>(decision_.size()), child,
                              kToldDown, kDown));
      ++out_;
    }
    return GoOn(operation);
  }

  int GoOn(Operation* operation) {
    if (!is_decided_ || out_ > 0) return MPI_SUCCESS;
    Chosen chosen = steps_.go_on(decision_);
    operation->Become(std::move(chosen.protocol), std::move(chosen.algorithm));
    return MPI_SUCCESS;
  }

  std::vector<char> words_;
  const DecisionSteps steps_;
  int parent_ = -1;
  std::vector<int> children_;
  std::vector<int> silent_;             // children whose report is missing
  std::list<std::vector<char>> heard_;  // addresses must stay valid while receiving
  std::vector<char> decision_;
  bool is_decided_ = false;
  int out_ = 0;
};

}  // namespace

std::unique_ptr<Protocol> MakeDecision(std::vector<char> own_words, DecisionSteps steps) {
  return std::make_unique<Decision>(std::move(own_words), std::move(steps));
}

}  // namespace cox::collectives
