// How far every model is off on a machine, by collective and size: the table that tells which model
// fits the machine. Its form is Table VI of B. H. H. Juurlink, H. A. G. Wijshoff, "A quantitative
// comparison of parallel computation models", ACM TOCS 16(3), 1998. That table has the largest
// errors; this one also has medians, as there may be thousands of cells. Immutable, any thread.
#ifndef COX_LEARN_ACCURACY_H_
#define COX_LEARN_ACCURACY_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "domain/profile.h"
#include "domain/sharing/caller_watch.h"
#include "learn/correct/corrections.h"
#include "learn/samples.h"
#include "model/model.h"
#include "model/profile.h"

namespace cox::learn {

// The sizes [from_bytes, to_bytes); to_bytes 0: no upper limit.
struct SizeClass {
  int64_t from_bytes = 0;
  int64_t to_bytes = 0;
};
// Below 1 KiB, 32 KiB, 1 MiB, and above, in this order.
absl::Span<const SizeClass> SizeClasses();

// |T_m - T_p| / min(T_m, T_p) over some cells, as fractions; +inf where a price was 0. All 0
// without cells.
struct ErrorSummary {
  double median = 0;
  double ninetieth = 0;  // percentile
  double largest = 0;
  int64_t cell_count = 0;
};

struct AccuracyRow {
  std::string library;     // "": all
  std::string collective;  // "": all
  SizeClass sizes;
  std::vector<ErrorSummary> models;  // in the order of Accuracy::models()
  // The errors of the selected model's corrected prices, each place left out of its own correction.
  ErrorSummary corrected;
  // The index into models with the least median; -1: no cell.
  int best = -1;
};

struct UnpricedModel {
  const model::Model* model = nullptr;
  std::string reason;  // which parameter is missing
};

class Accuracy {
 public:
  // Prices are those of `profile`, which the same cells may have refined. O(n log n) for n cells.
  Accuracy(const domain::Profile& profile, absl::Span<const Cell> cells,
           const Corrections& corrections);

  struct Question {
    std::string library;     // only this one; "": all
    std::string collective;  // only this one; "": all
    bool by_size = false;
    bool by_library = false;
  };
  // A row for each library, collective and size with cells of known structure. Unless the question
  // names a collective, the first row is about all of them together. O(n log n) for n cells.
  std::vector<AccuracyRow> Rows(const Question& question) const;
  // The same, but CANCELLED if `is_cancelled` says so, which is asked now and then.
  absl::StatusOr<std::vector<AccuracyRow>> Rows(const Question& question,
                                                const domain::IsCancelled& is_cancelled) const;

  // The models that the profile can price, and the others.
  const std::vector<const model::Model*>& models() const { return models_; }
  const std::vector<UnpricedModel>& unpriced() const { return unpriced_; }
  // Cells of unknown structure: no model has a price for them.
  int64_t unstructured_count() const { return unstructured_count_; }

  // The model selected for a collective. It is the machine's, unless another model's median error
  // over the collective's n cells is smaller by a factor of more than 1 + 3 / sqrt(n). Null where
  // no model can be priced.
  const model::Model* SelectedFor(absl::string_view collective) const;

 private:
  struct Entry {
    const std::string* library;
    const std::string* collective;
    size_t size_class;
    std::vector<float> errors;  // per model; of corrected prices one
  };

  const std::string* Keep(const std::string& name);
  void MeasurePrices(const domain::Profile& profile, absl::Span<const Cell> cells);
  void MeasureCorrected(absl::Span<const Cell> cells, const Corrections& corrections);
  void SelectModels(absl::string_view machine_model);

  std::vector<const model::Model*> models_;
  std::vector<UnpricedModel> unpriced_;
  std::set<std::string> names_;  // nodes do not move
  std::vector<Entry> prices_;
  std::vector<Entry> corrected_;
  int64_t unstructured_count_ = 0;
  const model::Model* machine_model_ = nullptr;
  std::map<std::string, const model::Model*, std::less<>> selected_;  // where not machine_model_
};

}  // namespace cox::learn

#endif  // COX_LEARN_ACCURACY_H_
