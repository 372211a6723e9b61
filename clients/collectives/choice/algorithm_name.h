// The written form of an algorithm and its knob, "windowed?window=4". Pure, any thread.
#ifndef COX_COLLECTIVES_CHOICE_ALGORITHM_NAME_H_
#define COX_COLLECTIVES_CHOICE_ALGORITHM_NAME_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace cox::collectives {

// An algorithm of an operation. `id` is the operation's own number for it.
struct AlgorithmRow {
  int id;
  std::string_view name;
  std::string_view knob = {};  // the knob's name; empty: it takes none
  int64_t least = 0;           // the knob's smallest value
};

struct AlgorithmChoice {
  int id = 0;
  int64_t knob = 0;  // 0: not stated
};

// Returns "" or what is wrong with the text; the message lists the known names.
std::string ParseAlgorithm(std::string_view text, std::span<const AlgorithmRow> rows,
                           AlgorithmChoice* choice);

// The name, with its knob if that is stated. The choice must come from one of the rows.
std::string FormatAlgorithm(const AlgorithmChoice& choice, std::span<const AlgorithmRow> rows);

}  // namespace cox::collectives

#endif  // COX_COLLECTIVES_CHOICE_ALGORITHM_NAME_H_
