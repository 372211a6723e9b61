// The floor of what the store on PostgreSQL does: COPY of the same rows into a table like
// observation, a transaction for each 5,000, as durably; no sums, no resends to recognise.
//
// One thread. Ends the process if the server refuses.
#ifndef COX_TESTS_LOAD_BARE_COPY_H_
#define COX_TESTS_LOAD_BARE_COPY_H_

#include <string>

namespace cox::load {

// Rows per second of `rows` rows. Makes a table in the database, and drops it.
double BareCopyRate(const std::string& url, int rows);

}  // namespace cox::load

#endif  // COX_TESTS_LOAD_BARE_COPY_H_
