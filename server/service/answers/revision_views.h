// Machines as older revisions of their profiles see them, to compare revisions.
//
// A view has the revision's parameters and everything else of the active view: cells, corrections
// learned from them, and what the guard has shown. Building one takes O(n log n) for n cells and a
// read of the database: call from a pool. Any thread.
#ifndef COX_SERVICE_ANSWERS_REVISION_VIEWS_H_
#define COX_SERVICE_ANSWERS_REVISION_VIEWS_H_

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>

#include "absl/status/statusor.h"
#include "advise/machine_view.h"
#include "domain/sharing/caller_watch.h"
#include "store/store.h"

namespace cox::service {

class RevisionViews {
 public:
  using View = std::shared_ptr<const advise::MachineView>;

  // `store` outlives it.
  explicit RevisionViews(store::Store* store) : store_(store) {}

  // The view of `active`'s machine with the parameters of `revision`; 0: `active`. INVALID_ARGUMENT
  // (field "profile_revision") if negative, NOT_FOUND if there is no such revision, CANCELLED, and
  // the store's errors.
  absl::StatusOr<View> Find(const View& active, int64_t revision,
                            const domain::IsCancelled& is_cancelled);

 private:
  // The view is up to date while its base is the active view.
  struct Entry {
    std::weak_ptr<const advise::MachineView> base;
    View view;
  };

  store::Store* const store_;
  std::mutex mutex_;
  std::list<Entry> recent_;  // the last one used first, at most kMostViews
};

}  // namespace cox::service

#endif  // COX_SERVICE_ANSWERS_REVISION_VIEWS_H_
