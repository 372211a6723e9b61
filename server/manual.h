// The manual page of coxd, made from its table of settings.
#ifndef COX_MANUAL_H_
#define COX_MANUAL_H_

#include <string>

namespace cox {

// coxd(8) in the `man` macros. Holds no date: the same sources make the same page.
std::string DaemonManualPage(const std::string& version);

}  // namespace cox

#endif  // COX_MANUAL_H_
