// How far every model is off on a machine, by collective and size: the table that says which model
// is right for it. In the form of Table VI of B. H. H. Juurlink, H. A. G. Wijshoff, "A quantitative
// comparison of parallel computation models", ACM TOCS 16(3), 1998, which has the largest errors;
// here also medians, for there are cells by the thousand. Measured once, immutable, any thread.
#ifndef COX_LEARN_ACCURACY_H_
#define COX_LEARN_ACCURACY_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "domain/profile.h"
#include "learn/correct/correction.h"
#include "learn/samples.h"
#include "model/model.h"
#include "model/profile.h"

namespace cox::learn {

// Messages of about the same kind: [from_bytes, to_bytes), to_bytes 0: no end.
struct SizeClass {
  int64_t from_bytes = 0;
  int64_t to_bytes = 0;
};
// Below 1 KiB, 32 KiB, 1 MiB, and above, in this order.
absl::Span<const SizeClass> SizeClasses();

// |T_m - T_p| / min(T_m, T_p) over some cells; fractions, +inf where a price of nothing was among
// them. Of no cells: all 0.
struct ErrorSummary {
  double median = 0;
  double ninetieth = 0;  // percentile
  double largest = 0;
  int64_t cell_count = 0;
};

struct AccuracyRow {
  std::string library;     // "": of all
  std::string collective;  // "": all
  SizeClass sizes;
  std::vector<ErrorSummary> models;  // in the order of Accuracy::models()
  // Of what the corrections say of places that they were not shown, on top of one model's price.
  ErrorSummary corrected;
  // Into models: the least median. -1: no cell.
  int best = -1;
};

struct UnpricedModel {
  const model::Model* model = nullptr;
  std::string reason;  // which parameter is missing
};

class Accuracy {
 public:
  // Prices are those of `profile`, which may have been refined by the same cells. O(cells x models)
  Accuracy(const domain::Profile& profile, absl::Span<const Cell> cells,
           const Corrections& corrections);

  struct Question {
    std::string library;     // only this one; "": all
    std::string collective;  // only this one; "": all
    bool by_size = false;
    bool by_library = false;
  };
  // By library, collective and size, where cells of known structure are; first, unless only one
  // collective is asked for, that of all together. O(cells x models).
  std::vector<AccuracyRow> Rows(const Question& question) const;

  // That the profile can price, and the others.
  const std::vector<const model::Model*>& models() const { return models_; }
  const std::vector<UnpricedModel>& unpriced() const { return unpriced_; }
  // Cells that no model was measured by: their structure is not known.
  int64_t unstructured_count() const { return unstructured_count_; }

  // The model that speaks for prices of a collective: the machine's, unless another one's median
  // error over the collective's n cells is less by more than a factor of 1 + 3 / sqrt(n). Null
  // where no model can be priced.
  const model::Model* SpeaksFor(absl::string_view collective) const;

 private:
  struct Entry {
    const std::string* library;
    const std::string* collective;
    size_t size_class;
    std::vector<float> errors;  // per model; one of what is corrected
  };

  const std::string* Keep(const std::string& name);
  void MeasurePrices(const domain::Profile& profile, absl::Span<const Cell> cells);
  void MeasureCorrected(absl::Span<const Cell> cells, const Corrections& corrections);
  void ChooseSpeakers(absl::string_view machine_model);

  std::vector<const model::Model*> models_;
  std::vector<UnpricedModel> unpriced_;
  std::set<std::string> names_;  // nodes do not move
  std::vector<Entry> prices_;
  std::vector<Entry> corrected_;
  int64_t unstructured_count_ = 0;
  const model::Model* machine_model_ = nullptr;
  std::map<std::string, const model::Model*, std::less<>> speakers_;  // where not the machine's
};

}  // namespace cox::learn

#endif  // COX_LEARN_ACCURACY_H_
