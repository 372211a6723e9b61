#include <stdio.h>

#include "agent/job/control.h"
#include "agent/steering/variables.h"
#include "domain/collective.h"

namespace cox::agent {
namespace {

constexpr int kAuto = 0;
Variable algorithm[domain::kCollectiveCount];
int told[domain::kCollectiveCount];  // what the variables are: kAuto between the program's calls

void NameVariable(int collective, char* name, size_t size) {
  const int length =
      snprintf(name, size, "MPIR_CVAR_%s_INTRA_ALGORITHM", domain::kCollectiveNames[collective]);
  for (int i = 0; i < length; ++i) {
    if (name[i] >= 'a' && name[i] <= 'z') name[i] = static_cast<char>(name[i] - 'a' + 'A');
  }
}

}  // namespace

const char* PrepareControl(bool (&left)[domain::kCollectiveCount]) {
  if (!StartVariables()) return "the MPI library has no tools interface";
  Variable file;
  if (file.Find("MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE") && !file.IsEmptyText()) {
    return "a selection file is set already";
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

Told Tell(MPI_Comm comm, Controlled* /*controlled*/, domain::Collective collective, int number) {
  const int index = static_cast<int>(collective);
  const int before = told[index];
  const bool is_told = algorithm[index].Write(number);
  if (is_told) told[index] = number;
  return {is_told, comm, comm, before};
}

void Untell(domain::Collective collective, int before) {
  const int index = static_cast<int>(collective);
  told[index] = before;
  algorithm[index].Write(before);
}

void Release(Controlled* /*controlled*/, bool /*is_over*/) {}

}  // namespace cox::agent
