// The frame of a model that charges each phase separately. The model lists what a phase is charged:
// (term, parameter, coefficient). The frame derives the price, the sum of coefficient x parameter,
// and its gradient.
//
// A model derives from ChargedModel<itself> and has
//
//   static constexpr ModelCard kCard = {...};
//   template <class Bill> static void Charge(const Values&, const Schedule&, const Phase&, Bill*);
//
// Charge() describes one repetition. It calls Add() on the bill for each cost, and Slope() for
// other dependencies of the price. It also gets phases without traffic, because a model may charge
// their barriers.
#ifndef COX_MODEL_MODELS_CHARGED_MODEL_H_
#define COX_MODEL_MODELS_CHARGED_MODEL_H_

#include <algorithm>
#include <cstddef>
#include <string>

#include "model/model.h"
#include "model/models/narrow_network.h"

namespace cox::model {

// What piecewise parameters of message-passing models depend on.
inline constexpr absl::string_view kMessageBytes = "bytes of a message";

// What a model says about itself.
struct ModelCard {
  absl::string_view id;
  absl::string_view description;
  absl::string_view source;
  absl::string_view sees;
  absl::string_view blind_to;
  absl::Span<const ParameterSpec> parameters;
  bool linear;
};

// Adds up a price.
class PriceBill {
 public:
  explicit PriceBill(const Values& values) : values_(values) {}

  // `coefficient` times the parameter at `index`, which is taken at `argument`.
  void Add(Term term, size_t index, double coefficient, double argument = 0) {
    // Many phases have no messages at a level: no piece is searched for these.
    const bool has_piece = values_.has_pieces() && coefficient != 0;
    const double value = has_piece ? values_.At(index, argument) : values_[index];
    cost_[term] += times_ * coefficient * value;
  }
  // Processor time, part of what Add() charges: the parameter at `index`, but at most the one at
  // `whole`, taken at `argument`. A what-if or a piece of `whole` may be less than its part.
  void AddCpu(size_t index, size_t whole, double coefficient, double argument) {
    const double part = values_[index];
    if (part == 0 || coefficient == 0) return;
    cost_.cpu_s += times_ * coefficient * std::min(part, values_.At(whole, argument));
  }
  void AddUnits(double units) { cost_.units += times_ * units; }
  // Adds a slope of the price by a parameter that is not a factor in Add().
  void Slope(size_t /*index*/, double /*slope*/) {}

  void Repeat(double times) { times_ = times; }
  const Cost& cost() const { return cost_; }

 private:
  Values values_;  // a copy stays in registers: stores to the cost cannot change it
  Cost cost_;
  double times_ = 1;
};

// Adds up the gradient.
class SlopeBill {
 public:
  explicit SlopeBill(absl::Span<double> out) : out_(out) {
    std::fill(out_.begin(), out_.end(), 0.0);
  }

  void Add(Term /*term*/, size_t index, double coefficient, double /*argument*/ = 0) {
    out_[index] += times_ * coefficient;
  }
  void AddCpu(size_t /*index*/, size_t /*whole*/, double /*coefficient*/, double /*argument*/) {}
  void AddUnits(double /*units*/) {}
  void Slope(size_t index, double slope) { out_[index] += times_ * slope; }

  void Repeat(double times) { times_ = times; }

 private:
  absl::Span<double> out_;
  double times_ = 1;
};

template <class Derived>
class ChargedModel : public Model {
 public:
  absl::string_view id() const override { return Derived::kCard.id; }
  absl::string_view description() const override { return Derived::kCard.description; }
  absl::string_view source() const override { return Derived::kCard.source; }
  absl::string_view sees() const override { return Derived::kCard.sees; }
  absl::string_view blind_to() const override { return Derived::kCard.blind_to; }
  absl::Span<const ParameterSpec> parameters() const override { return Derived::kCard.parameters; }
  bool linear() const override { return Derived::kCard.linear; }

  Cost Price(const Values& values, const Schedule& schedule) const override {
    PriceBill bill(values);
    ChargeAll(values, schedule, &bill);
    return bill.cost();
  }

  void Coefficients(const Values& values, const Schedule& schedule,
                    absl::Span<double> out) const override {
    SlopeBill bill(out);
    ChargeAll(values, schedule, &bill);
  }

  std::string Caveat(const Values& values, const Schedule& schedule) const final {
    std::string own = OwnCaveat(values, schedule);
    return own.empty() && !PricesLinks(values) ? NarrowNetworkCaveat(schedule) : own;
  }

 protected:
  // The model's own reason for care; "" for none.
  virtual std::string OwnCaveat(const Values& /*values*/, const Schedule& /*schedule*/) const {
    return "";
  }
  // Whether the price has a part for the network's links.
  virtual bool PricesLinks(const Values& /*values*/) const { return false; }

 private:
  template <class Bill>
  static void ChargeAll(const Values& values, const Schedule& schedule, Bill* bill) {
    for (const Phase& phase : schedule) {
      bill->Repeat(phase.times);
      Derived::Charge(values, schedule, phase, bill);
    }
  }
};

// What every rank does itself, by the parameters of self_work.h, which begin at `copy`.
template <class Bill>
void ChargeSelf(const Phase& phase, size_t copy, Bill* bill) {
  bill->Add(Term::kCopy, copy, phase.work.copied_bytes);
  bill->Add(Term::kCompute, copy + 1, phase.work.reduced_bytes);
  bill->Add(Term::kCompute, copy + 2, phase.work.operations);
}

}  // namespace cox::model

#endif  // COX_MODEL_MODELS_CHARGED_MODEL_H_
