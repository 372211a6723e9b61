#include "recorders.h"

#include <utility>

namespace {

cox::default_decision::Function called;

int Note(std::string_view collective, int native_id) {
  called = {collective, called.native_id == 0 ? native_id : -1};
  return 0;  // MPI_SUCCESS
}

}  // namespace

// The recorders ignore their arguments.
#define TUNED(collective, native_id, name)                                          \
  extern "C" __attribute__((visibility("default"))) int ompi_coll_base_##name(...); \
  int ompi_coll_base_##name(...) { return Note(#collective, native_id); }
#include "../tuned_functions.def"
#undef TUNED

namespace cox::default_decision {

Function TakeCalled() { return std::exchange(called, Function()); }

}  // namespace cox::default_decision
