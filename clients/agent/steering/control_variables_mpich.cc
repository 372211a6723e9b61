#include "agent/job/library.h"
#include "agent/steering/control_variables.h"

namespace cox::agent {
namespace {

struct Functions {
  int (*init)(int, int*);
  int (*finalize)();
  int (*get_index)(const char*, int*);
  int (*handle_alloc)(int, void*, MPI_T_cvar_handle*, int*);
  int (*read)(MPI_T_cvar_handle, void*);
  int (*write)(MPI_T_cvar_handle, const void*);
};
Functions tools;
bool started = false;

}  // namespace

bool StartVariables() {
  int provided = 0;
  started = LoadFunction(&tools.init, "PMPI_T_init_thread") &&
            LoadFunction(&tools.finalize, "PMPI_T_finalize") &&
            LoadFunction(&tools.get_index, "PMPI_T_cvar_get_index") &&
            LoadFunction(&tools.handle_alloc, "PMPI_T_cvar_handle_alloc") &&
            LoadFunction(&tools.read, "PMPI_T_cvar_read") &&
            LoadFunction(&tools.write, "PMPI_T_cvar_write") &&
            tools.init(MPI_THREAD_SINGLE, &provided) == MPI_SUCCESS;
  return started;
}

void EndVariables() {
  if (started) tools.finalize();
  started = false;
}

bool Variable::Find(const char* name) {
  int index = 0;
  found_ = tools.get_index(name, &index) == MPI_SUCCESS &&
           tools.handle_alloc(index, nullptr, &handle_, &count_) == MPI_SUCCESS;
  return found_;
}

bool Variable::Read(int* value) const {
  return found_ && count_ == 1 && tools.read(handle_, value) == MPI_SUCCESS;
}

bool Variable::Write(int value) const {
  return found_ && tools.write(handle_, &value) == MPI_SUCCESS;
}

bool Variable::IsEmptyText() const {
  char text[4096] = "";
  if (!found_ || count_ < 1 || static_cast<size_t>(count_) > sizeof(text)) return true;
  return tools.read(handle_, text) != MPI_SUCCESS || text[0] == '\0';
}

}  // namespace cox::agent
