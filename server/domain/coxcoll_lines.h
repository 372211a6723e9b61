// The lines of the file that COX_COLL_PROFILE names. libcoxcoll, which reads the file, and the
// checker of `cox tune --check`, share this parser: standard library only. Pure, any thread.
#ifndef COX_DOMAIN_COXCOLL_LINES_H_
#define COX_DOMAIN_COXCOLL_LINES_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace cox::domain {

// Reads the words of one line and returns what is wrong with them; "" if nothing is.
using LineReader = std::function<std::string(const std::vector<std::string>& words)>;

// Calls `read` for each line that has a word; a # begins a comment. Returns what it refused, in
// order, each with the number of its line: "line 3: ...".
std::vector<std::string> ReadLines(std::string_view text, const LineReader& read);

// The same; only what is wrong with the first refused line, "" if none is refused.
std::string FirstRefused(std::string_view text, const LineReader& read);

}  // namespace cox::domain

#endif  // COX_DOMAIN_COXCOLL_LINES_H_
