#include "agent/job/library.h"
#include "agent/steering/control_variables.h"

// Not through MPI_T: Open MPI's MPI_T_init_thread loads every component that is installed, which
// takes longer than the rest of a job's start.

namespace cox::agent {
namespace {

// Open MPI's parameters, as libopen-pal exports them. Its results are 0 or a negative error.
struct Functions {
  int (*find)(const char* name, int* index);
  // Sets *storage to the address of the value: an int, a bool, or a char*.
  int (*get)(int index, const void* storage, int* source, const char** file);
  int (*set)(int index, const void* value, size_t size, int source, const char* file);
};
Functions parameters;

constexpr int kSetByProgram = 4;  // MCA_BASE_VAR_SOURCE_SET

}  // namespace

bool StartVariables() {
  return LoadFunction(&parameters.find, "mca_base_var_find_by_name") &&
         LoadFunction(&parameters.get, "mca_base_var_get_value") &&
         LoadFunction(&parameters.set, "mca_base_var_set_value");
}

void EndVariables() {}

bool Variable::Find(const char* name) {
  found_ = parameters.find(name, &index_) == 0;
  return found_;
}

const void* Variable::Storage() const {
  const void* storage = nullptr;
  if (!found_ || parameters.get(index_, &storage, nullptr, nullptr) != 0) return nullptr;
  return storage;
}

bool Variable::Read(int* value) const {
  const void* storage = Storage();
  if (storage != nullptr) *value = *static_cast<const int*>(storage);
  return storage != nullptr;
}

bool Variable::IsOn() const {
  const void* storage = Storage();
  return storage != nullptr && *static_cast<const bool*>(storage);
}

bool Variable::Write(int value) const {
  return found_ && parameters.set(index_, &value, 0, kSetByProgram, nullptr) == 0;
}

bool Variable::IsEmptyText() const {
  const void* storage = Storage();
  const char* text = storage != nullptr ? *static_cast<const char* const*>(storage) : nullptr;
  return text == nullptr || text[0] == '\0';
}

}  // namespace cox::agent
