#include "model/models/socket_level.h"

#include <algorithm>
#include <cstddef>

namespace cox::model {
namespace {

// A value of 0 without pieces: nobody measured it.
bool IsKnown(const ParameterValues& values, size_t index) {
  return values.base[index] > 0 ||
         std::any_of(values.pieces.begin(), values.pieces.end(),
                     [index](const Piece& piece) { return piece.index == index; });
}

// Puts parameter `from` in the place of `to`.
void Replace(const ParameterValues& values, size_t from, size_t to, ParameterValues* out) {
  out->base[to] = values.base[from];
  std::erase_if(out->pieces, [to](const Piece& piece) { return piece.index == to; });
  for (const Piece& piece : values.pieces) {
    if (piece.index == from) out->pieces.push_back({to, piece.above, piece.value});
  }
}

}  // namespace

std::optional<ParameterValues> AtSockets(const Model& model, const ParameterValues& values) {
  const auto specs = model.parameters();
  ParameterValues out = values;
  bool is_known = false;
  for (size_t from = 0; from < specs.size(); ++from) {
    if (specs[from].level != domain::Level::kSocket || !IsKnown(values, from)) continue;
    is_known = true;
    for (size_t to = 0; to < specs.size(); ++to) {
      const bool is_same =
          specs[to].level == domain::Level::kNode && specs[to].name == specs[from].name;
      if (is_same) Replace(values, from, to, &out);
    }
  }
  if (!is_known) return std::nullopt;
  return out;
}

}  // namespace cox::model
