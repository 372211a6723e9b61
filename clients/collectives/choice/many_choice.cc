#include "collectives/choice/many_choice.h"

#include <utility>
#include <vector>

#include "collectives/engine/error.h"

namespace cox::collectives {
namespace {

class ManyChoice final : public Protocol {
 public:
  ManyChoice(std::shared_ptr<const ManyMemory> former,
             std::function<Chosen(const LargestLoad& largest)> choose)
      : former_(std::move(former)), choose_(std::move(choose)) {}

  int Start(Operation* operation) override {
    if (former_->largest) GoOn(operation);
    return MPI_SUCCESS;
  }

  int Done(Operation*, int) override { return MPI_SUCCESS; }

  int Poll(Operation* operation, bool* again, bool* happened) override {
    *happened = former_->largest.has_value();
    *again = true;
    if (*happened) {
      GoOn(operation);
      return MPI_SUCCESS;
    }
    const std::shared_ptr<const Operation> former = former_->operation.lock();
    if (former != nullptr && !former->complete()) return MPI_SUCCESS;
    return Fail(MPI_ERR_OTHER, "the previous many-to-many on this communicator has failed");
  }

 private:
  void GoOn(Operation* operation) {
    Chosen chosen = choose_(*former_->largest);
    operation->Become(std::move(chosen.protocol), std::move(chosen.algorithm));
  }

  const std::shared_ptr<const ManyMemory> former_;
  const std::function<Chosen(const LargestLoad& largest)> choose_;
};

}  // namespace

std::unique_ptr<Protocol> MakeManyChoice(std::shared_ptr<const ManyMemory> former,
                                         const LargestLoad& own,
                                         std::function<Chosen(const LargestLoad& largest)> choose) {
  if (former != nullptr) return std::make_unique<ManyChoice>(std::move(former), std::move(choose));
  return MakeAgreement({own.messages, own.bytes},
                       [choose = std::move(choose)](const std::vector<int64_t>& largest) {
                         return choose({largest[0], largest[1]});
                       });
}

}  // namespace cox::collectives
