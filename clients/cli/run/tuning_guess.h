// What kind of tuning text a file most likely holds. `cox tune --check` asks before it reads the
// text as one library does: a text of another kind would give a finding for every line. Pure, any
// thread, cannot fail.
#ifndef COX_CLI_RUN_TUNING_GUESS_H_
#define COX_CLI_RUN_TUNING_GUESS_H_

#include <string>

#include "absl/strings/string_view.h"
#include "library/tuning_format.h"

namespace cox::cli {

// What is wrong, and the options that fit, if the first line of `text` is of another format than
// `format`: "looks like ...; use --library mpich-4.0". Empty if it fits, or could be anything.
std::string LooksLikeAnother(absl::string_view text, const library::TuningFormat& format);

}  // namespace cox::cli

#endif  // COX_CLI_RUN_TUNING_GUESS_H_
