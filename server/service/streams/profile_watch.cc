#include "service/streams/profile_watch.h"

#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "service/convert/profile.h"
#include "service/names.h"
#include "service/status.h"
#include "service/streams/stream_link.h"

namespace cox::service {
namespace {

class ProfileWatch : public grpc::ServerWriteReactor<v1::Profile> {
 public:
  ProfileWatch(const Core& core, grpc::CallbackServerContext* context,
               const access::Principal& principal, const std::string& parent)
      : core_(core),
        context_(context),
        principal_(principal),
        link_(std::make_shared<StreamLink<ProfileWatch>>(this)) {
    const absl::StatusOr<absl::string_view> machine = ParseMachine(parent, "parent");
    absl::Status status = machine.status();
    if (status.ok()) status = core_.streams->Add(link_, principal);
    if (!status.ok()) {
      End(status);
      return;
    }
    // The first profile comes from the database; from the pool, so as not to wait here.
    const absl::Status taken = core_.pool->Run(
        principal.name, [link = link_, store = core.store, name = std::string(*machine)] {
          const absl::StatusOr<store::MachineRecord> known = store->GetMachine(name);
          link->With([&](ProfileWatch& watch) { watch.Begin(known); });
        });
    if (!taken.ok()) End(taken);
  }

  void OnWriteDone(bool ok) override {
    std::lock_guard lock(mutex_);
    writing_ = false;
    if (!ok && end_.ok()) end_ = absl::CancelledError("the client went away");
    Proceed();
  }
  void OnCancel() override { End(absl::CancelledError("the client cancelled")); }
  void OnDone() override {
    link_->Cut();
    subscription_.reset();
    core_.streams->Remove(link_);
    delete this;
  }

 private:
  friend class StreamLink<ProfileWatch>;

  // Subscribed first, so that no profile falls between the first one and the feed.
  void Begin(const absl::StatusOr<store::MachineRecord>& machine) {
    if (!machine.ok()) {
      End(machine.status());
      return;
    }
    subscription_ = core_.feed->Subscribe(
        machine->name, [link = std::weak_ptr(link_)](const store::ProfileRecord& profile) {
          if (const auto self = link.lock()) {
            self->With([&](ProfileWatch& watch) { watch.Offer(profile); });
          }
        });
    Greet();
    const absl::StatusOr<store::ProfileRecord> active = core_.store->GetProfile(machine->name, 0);
    if (active.ok()) {
      Offer(*active);
    } else if (!absl::IsNotFound(active.status())) {
      End(active.status());
    }
  }

  void Close(const absl::Status& why) {
    End(why);
    // A running write ends when the client takes it, or never.
    core_.calls->CancelLater(context_);
  }

  // Tells the client that it receives every change from now on. Before the first write.
  void Greet() {
    std::lock_guard lock(mutex_);
    if (!finished_) StartSendInitialMetadata();
  }

  void Offer(const store::ProfileRecord& profile) {
    std::lock_guard lock(mutex_);
    if (profile.revision == sent_revision_) {
      next_.reset();  // what the client has, or is getting, is active again
      return;
    }
    if (core_.access->SeesMachine(principal_, profile.machine)) {
      next_ = profile;
    } else if (end_.ok()) {
      end_ = absl::PermissionDeniedError(
          "parent: the machine belongs to a project now that you are not in");
    }
    Proceed();
  }

  // Starts the end, after a running write, or the next write.
  // mutex_ is held.
  void Proceed() {
    if (writing_ || finished_) return;
    if (!end_.ok()) {
      finished_ = true;
      Finish(ToGrpc(end_));
      return;
    }
    if (!next_) return;
    message_.Clear();
    FromRecord(*next_, true, &message_);
    sent_revision_ = next_->revision;
    next_.reset();
    writing_ = true;
    StartWrite(&message_);
  }

  void End(const absl::Status& status) {
    std::lock_guard lock(mutex_);
    if (end_.ok()) end_ = status;
    Proceed();
  }

  const Core core_;
  grpc::CallbackServerContext* const context_;
  const access::Principal principal_;
  const std::shared_ptr<StreamLink<ProfileWatch>> link_;
  std::unique_ptr<daemon::ProfileFeed::Subscription> subscription_;  // guarded by the link

  std::mutex mutex_;
  std::optional<store::ProfileRecord> next_;
  v1::Profile message_;
  int64_t sent_revision_ = 0;
  absl::Status end_;  // not OK: finish with it
  bool writing_ = false;
  bool finished_ = false;
};

}  // namespace

grpc::ServerWriteReactor<v1::Profile>* StartProfileWatch(const Core& core,
                                                         grpc::CallbackServerContext* context,
                                                         const access::Principal& principal,
                                                         const std::string& parent) {
  return new ProfileWatch(core, context, principal, parent);
}

}  // namespace cox::service
