// The words of a file's lines. Pure, any thread.
#ifndef COX_COLLECTIVES_CHOICE_TEXT_LINES_H_
#define COX_COLLECTIVES_CHOICE_TEXT_LINES_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace cox::collectives {

// Calls `read` with the words of each line that has any; what follows a # is nothing. The first
// time that it returns a text, returns this with the line's number in front ("line 3: ..."); else
// "".
std::string ReadLines(std::string_view text,
                      const std::function<std::string(const std::vector<std::string>&)>& read);

}  // namespace cox::collectives

#endif  // COX_COLLECTIVES_CHOICE_TEXT_LINES_H_
