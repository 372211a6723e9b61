// Parameter values as a model reads them: one number per parameter, and more for a piecewise
// parameter. ParameterSpec::argument names the argument of its pieces (message bytes, for example).
// Values is a view: its data must outlive it. Immutable, any thread.
#ifndef COX_MODEL_VALUES_H_
#define COX_MODEL_VALUES_H_

#include <cstddef>
#include <vector>

#include "absl/types/span.h"

namespace cox::model {

// The parameter at `index` is `value` if the argument is above `above`, up to its next piece.
struct Piece {
  size_t index;
  double above;
  double value;
};

class Values {
 public:
  // Implicit: most callers have constants only. pieces: per index, ascending in `above`.
  Values(absl::Span<const double> base,  // NOLINT(google-explicit-constructor)
         absl::Span<const Piece> pieces = {})
      : base_(base), pieces_(pieces) {}
  Values(const std::vector<double>& base)  // NOLINT(google-explicit-constructor)
      : base_(base) {}

  size_t size() const { return base_.size(); }
  bool empty() const { return base_.empty(); }

  // The value of a parameter without an argument, or at argument 0.
  double operator[](size_t index) const { return base_[index]; }

  // The value at an argument >= 0.
  double At(size_t index, double argument) const {
    double value = base_[index];
    for (const Piece& piece : pieces_) {
      if (piece.index == index && argument > piece.above) value = piece.value;
    }
    return value;
  }

  // Whether some parameter is piecewise.
  bool has_pieces() const { return !pieces_.empty(); }

 private:
  absl::Span<const double> base_;
  absl::Span<const Piece> pieces_;
};

// The same values with their own memory. Empty: the model cannot be priced.
struct ParameterValues {
  std::vector<double> base;
  std::vector<Piece> pieces;

  bool empty() const { return base.empty(); }
  size_t size() const { return base.size(); }
  double operator[](size_t index) const { return base[index]; }
  operator Values() const { return {base, pieces}; }  // NOLINT(google-explicit-constructor)
};

}  // namespace cox::model

#endif  // COX_MODEL_VALUES_H_
