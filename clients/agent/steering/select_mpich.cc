#include <stdio.h>

#include "agent/steering/control_variables.h"
#include "agent/steering/select.h"
#include "domain/collective.h"

namespace cox::agent {
namespace {

constexpr int kAuto = 0;
Variable algorithm[domain::kCollectiveCount];
int selected[domain::kCollectiveCount];  // by the agent; kAuto between the program's calls

void NameVariable(int collective, char* name, size_t size) {
  const int length =
      snprintf(name, size, "MPIR_CVAR_%s_INTRA_ALGORITHM", domain::kCollectiveNames[collective]);
  for (int i = 0; i < length; ++i) {
    if (name[i] >= 'a' && name[i] <= 'z') name[i] = static_cast<char>(name[i] - 'a' + 'A');
  }
}

}  // namespace

const char* PrepareControl(bool (&left)[domain::kCollectiveCount]) {
  if (!StartVariables()) return "the MPI library has no tools interface (MPI_T)";
  Variable file;
  if (file.Find("MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE") && !file.IsEmptyText()) {
    return "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE names a selection file; unset it to steer";
  }
  for (int i = 0; i < domain::kCollectiveCount; ++i) {
    char name[96];
    NameVariable(i, name, sizeof(name));
    int value = kAuto;
    left[i] = !algorithm[i].Find(name) || !algorithm[i].Read(&value) || value != kAuto;
  }
  return nullptr;
}

void EndControl() { EndVariables(); }

bool IsSetByProgram(domain::Collective collective) {
  const int index = static_cast<int>(collective);
  int value = kAuto;
  return algorithm[index].Read(&value) && value != selected[index];
}

Selection Select(MPI_Comm comm, Controlled* /*controlled*/, domain::Collective collective,
                 int number) {
  const int index = static_cast<int>(collective);
  const int before = selected[index];
  const bool is_selected = algorithm[index].Write(number);
  if (is_selected) selected[index] = number;
  return {is_selected, comm, comm, before};
}

void Restore(domain::Collective collective, int before) {
  const int index = static_cast<int>(collective);
  selected[index] = before;
  algorithm[index].Write(before);
}

void Release(Controlled* /*controlled*/, bool /*is_over*/) {}

}  // namespace cox::agent
