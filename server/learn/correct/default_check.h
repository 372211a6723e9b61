// Whether a site's "default" is what the library's own decision table says, as far as observations
// can tell: a site's settings, or another version of the library, may make it something else.
// Stateless, any thread.
#ifndef COX_LEARN_CORRECT_DEFAULT_CHECK_H_
#define COX_LEARN_CORRECT_DEFAULT_CHECK_H_

#include <vector>

#include "learn/cells.h"

namespace cox::learn {

// Takes the structure from the cells of the default, per (library, collective), where observations
// of the picked algorithm at the same place contradict the table. Where there is nothing to compare
// with, the table is believed. O(cells log cells).
void DropContradictedDefaults(std::vector<PreparedCell>* cells);

}  // namespace cox::learn

#endif  // COX_LEARN_CORRECT_DEFAULT_CHECK_H_
