#include "collectives/protocols/pattern.h"

#include <cstring>
#include <functional>
#include <string>
#include <utility>

#include "collectives/choice/cost_file.h"
#include "collectives/choice/decision.h"
#include "collectives/choice/pattern_report.h"
#include "collectives/choice/ping_pong.h"
#include "collectives/engine/agreement.h"
#include "collectives/engine/clock.h"
#include "collectives/engine/error.h"
#include "collectives/engine/progress_engine.h"
#include "collectives/protocols/many.h"

namespace cox::collectives {
namespace {

class Nothing final : public Protocol {
 public:
  int Start(Operation*) override { return MPI_SUCCESS; }
  int Done(Operation*, int) override { return MPI_SUCCESS; }
};

// Times another protocol.
class TimedProtocol final : public Protocol {
 public:
  TimedProtocol(std::unique_ptr<Protocol> protocol, std::function<void(double seconds)> note)
      : protocol_(std::move(protocol)), note_(std::move(note)) {}

  int Start(Operation* operation) override {
    begin_s_ = NowSeconds();
    return protocol_->Start(operation);
  }
  int Done(Operation* operation, int token) override { return protocol_->Done(operation, token); }
  int Poll(Operation* operation, bool* again, bool* happened) override {
    return protocol_->Poll(operation, again, happened);
  }
  int Finish(Operation* operation) override {
    COX_TRY(protocol_->Finish(operation));
    note_(NowSeconds() - begin_s_);
    return MPI_SUCCESS;
  }

 private:
  const std::unique_ptr<Protocol> protocol_;
  const std::function<void(double seconds)> note_;
  double begin_s_ = 0;
};

std::vector<Transfer> TransfersOf(std::span<const cox_message> messages, int rank) {
  std::vector<Transfer> transfers;
  for (const cox_message& message : messages) {
    transfers.push_back({rank, message.rank, static_cast<double>(message.bytes)});
  }
  return transfers;
}

// The row of cox_imany for a candidate.
AlgorithmChoice ChoiceOf(int candidate) {
  AlgorithmChoice choice;
  ParseAlgorithm(PatternCandidates()[static_cast<size_t>(candidate)].name, kManyRows, &choice);
  return choice;
}

Chosen ManyBy(int candidate, Channel& channel, std::span<const cox_message> messages) {
  const AlgorithmChoice choice = ChoiceOf(candidate);
  return {MakeMany(choice, channel, messages), FormatAlgorithm(choice, kManyRows)};
}

}  // namespace

Pattern::Pattern(std::shared_ptr<Channel> channel) : channel_(std::move(channel)) {}

int Pattern::Make(std::shared_ptr<Channel> channel, const std::string& path,
                  std::shared_ptr<Pattern>* pattern) {
  const std::shared_ptr<Pattern> made(new Pattern(channel));
  std::string wrong;
  int64_t has_profile = 0;
  if (channel->rank() == 0) {
    made->chooser_ = std::make_unique<PatternChooser>(channel->ranks());
    has_profile = path.empty() ? 0 : 1;
    if (!path.empty()) wrong = ReadCostFile(path, &made->costs_, nullptr);
  }
  // Runs as an operation, so that the others proceed meanwhile.
  std::vector<int64_t> told;
  const auto hear = [&told](const std::vector<int64_t>& largest) {
    told = largest;
    return Chosen{std::make_unique<Nothing>(), ""};
  };
  const auto operation = std::make_shared<Operation>(
      channel, "", MakeAgreement({has_profile, wrong.empty() ? 0 : 1}, hear));
  Launch(operation);
  Wait(operation.get());
  if (operation->error() != MPI_SUCCESS) return Fail(operation->error(), operation->error_text());
  if (told[1] != 0) {
    return Fail(MPI_ERR_ARG, "profile: " + (wrong.empty() ? "rank 0 cannot read it" : wrong));
  }
  made->measures_costs_ = told[0] == 0 && channel->ranks() > 1;
  *pattern = made;
  return MPI_SUCCESS;
}

Pattern::State Pattern::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

std::unique_ptr<Protocol> Pattern::Timed(std::unique_ptr<Protocol> protocol) {
  return std::make_unique<TimedProtocol>(std::move(protocol),
                                         [self = shared_from_this()](double seconds) {
                                           const std::lock_guard lock(self->mutex_);
                                           self->times_s_.push_back(seconds);
                                         });
}

int Pattern::Next(std::span<const cox_message> messages, std::shared_ptr<Operation>* operation) {
  const std::lock_guard lock(mutex_);
  const std::shared_ptr<Operation> former = former_.lock();
  if (former != nullptr && !former->complete()) {
    return Fail(MPI_ERR_REQUEST, "the previous iteration of this pattern is not complete");
  }
  Chosen next;
  if (starts_left_ == 0) {
    next.protocol = Decide(messages);
  } else {
    --starts_left_;
    next = ManyBy(candidate_, *channel_, messages);
    next.protocol = Timed(std::move(next.protocol));
  }
  *operation =
      std::make_shared<Operation>(channel_, std::move(next.algorithm), std::move(next.protocol));
  (*operation)->KeepInbox();
  former_ = *operation;
  return MPI_SUCCESS;
}

// The first time, a ping-pong precedes it unless a profile states the costs.
std::unique_ptr<Protocol> Pattern::Decide(std::span<const cox_message> messages) {
  const std::vector<Transfer> transfers = TransfersOf(messages, channel_->rank());
  std::vector<char> words = WritePatternReport(transfers, MedianOf(std::exchange(times_s_, {})));
  DecisionSteps steps;
  steps.decision_bytes = sizeof(PatternChooser::Decision);
  steps.decide = [self = shared_from_this()](std::span<const char> all_words) {
    const std::lock_guard lock(self->mutex_);
    PatternReports reports;
    ReadPatternReports(all_words, &reports);
    const PatternChooser::Decision decision =
        self->chooser_->Decide(reports.transfers, reports.slowest_s, self->costs_);
    std::vector<char> bytes(sizeof(decision));
    std::memcpy(bytes.data(), &decision, sizeof(decision));
    return bytes;
  };
  steps.go_on = [self = shared_from_this(),
                 copy = std::vector<cox_message>(messages.begin(), messages.end())](
                    std::span<const char> bytes) {
    const std::lock_guard lock(self->mutex_);
    PatternChooser::Decision decision;
    std::memcpy(&decision, bytes.data(), sizeof(decision));
    if (self->candidate_ >= 0 && self->candidate_ != decision.candidate) ++self->state_.changes;
    self->candidate_ = decision.candidate;
    self->starts_left_ = decision.next_in - 1;
    self->state_.algorithm =
        PatternCandidates()[static_cast<size_t>(decision.candidate)].name.data();
    self->state_.predicted_s = decision.predicted_s;
    self->state_.measured_s = decision.measured_s;
    return ManyBy(decision.candidate, *self->channel_, copy);
  };
  const bool is_at_an_end = channel_->rank() == 0 || channel_->rank() == channel_->ranks() - 1;
  if (!std::exchange(measures_costs_, false) || !is_at_an_end) {
    return MakeDecision(std::move(words), std::move(steps));
  }
  return MakePingPong([self = shared_from_this(), words = std::move(words),
                       steps = std::move(steps)](const domain::CostProfile& costs) {
    const std::lock_guard lock(self->mutex_);
    self->costs_ = costs;
    return Chosen{MakeDecision(words, steps), ""};
  });
}

}  // namespace cox::collectives
