#include "service/convert/provenance.h"

namespace cox::service {
namespace {

struct Row {
  v1::Provenance value;
  absl::string_view name;
};
constexpr Row kRows[] = {
    {v1::PROVENANCE_PUBLISHED, "published"}, {v1::PROVENANCE_CALIBRATED, "calibrated"},
    {v1::PROVENANCE_REFINED, "refined"},     {v1::PROVENANCE_IMPORTED, "imported"},
    {v1::PROVENANCE_EDITED, "edited"},
};

}  // namespace

absl::string_view ProvenanceName(v1::Provenance provenance) {
  for (const Row& row : kRows) {
    if (row.value == provenance) return row.name;
  }
  return "edited";
}

v1::Provenance ToProvenance(absl::string_view name) {
  for (const Row& row : kRows) {
    if (row.name == name) return row.value;
  }
  return v1::PROVENANCE_UNSPECIFIED;
}

}  // namespace cox::service
