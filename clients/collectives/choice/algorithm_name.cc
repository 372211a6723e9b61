#include "collectives/choice/algorithm_name.h"

#include <charconv>

namespace cox::collectives {
namespace {

std::string Quoted(std::string_view text) { return "\"" + std::string(text) + "\""; }

std::string ParseKnob(std::string_view text, const AlgorithmRow& row, int64_t* value) {
  const size_t equals = text.find('=');
  const std::string_view name = text.substr(0, equals);
  if (row.knob.empty() || name != row.knob) {
    return Quoted(row.name) + " has no knob " + Quoted(name);
  }
  const std::string_view digits =
      equals == std::string_view::npos ? std::string_view() : text.substr(equals + 1);
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, *value);
  if (error != std::errc() || stop != end || *value < row.least) {
    return std::string(row.knob) + " must be a whole number of at least " +
           std::to_string(row.least) + ", not " + Quoted(digits);
  }
  return "";
}

}  // namespace

std::string ParseAlgorithm(std::string_view text, std::span<const AlgorithmRow> rows,
                           AlgorithmChoice* choice) {
  const size_t mark = text.find('?');
  const std::string_view name = text.substr(0, mark);
  for (const AlgorithmRow& row : rows) {
    if (row.name == name) {
      *choice = {row.id, 0};
      if (mark == std::string_view::npos) return "";
      return ParseKnob(text.substr(mark + 1), row, &choice->knob);
    }
  }
  std::string known;
  for (const AlgorithmRow& row : rows) {
    known += (known.empty() ? "" : ", ") + std::string(row.name);
  }
  return Quoted(name) + " is not one of " + known;
}

std::string FormatAlgorithm(const AlgorithmChoice& choice, std::span<const AlgorithmRow> rows) {
  for (const AlgorithmRow& row : rows) {
    if (row.id != choice.id) continue;
    std::string text(row.name);
    if (choice.knob != 0) text += "?" + std::string(row.knob) + "=" + std::to_string(choice.knob);
    return text;
  }
  return "";
}

}  // namespace cox::collectives
