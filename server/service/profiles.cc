#include "service/profiles.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "service/convert/page_token.h"
#include "service/convert/profile.h"
#include "service/entry/door.h"
#include "service/history/visible_names.h"
#include "service/names.h"
#include "service/streams/profile_watch.h"
#include "service/unary.h"

namespace cox::service {
namespace {

// The active revision; 0: none.
int64_t ActiveRevision(const Core& core, const std::string& machine) {
  const absl::StatusOr<store::ProfileRecord> active = core.store->GetProfile(machine, 0);
  return active.ok() ? active->revision : 0;
}

}  // namespace

Profiles::Profiles(const Core& core) : core_(core) {}
Profiles::~Profiles() = default;

absl::StatusOr<store::ProfileRecord> AddProfileRevision(const Core& core,
                                                        store::ProfileRecord profile,
                                                        absl::string_view request_id,
                                                        const store::Actor& actor) {
  const absl::StatusOr<int64_t> last_id = core.store->LastObservationId();
  if (!last_id.ok()) return last_id.status();
  profile.observations_through_id = *last_id;
  absl::StatusOr<store::ProfileRecord> stored = core.store->AddProfile(profile, request_id, actor);
  if (!stored.ok()) return stored;
  if (absl::Status refreshed = core.learner->Refresh(stored->machine); !refreshed.ok())
    return refreshed;
  return stored;
}

grpc::ServerUnaryReactor* Profiles::CreateProfile(grpc::CallbackServerContext* context,
                                                  const v1::CreateProfileRequest* request,
                                                  v1::Profile* response) {
  const auto answer = [this, request, response, actor = CallingActor()]() -> absl::Status {
    const absl::StatusOr<absl::string_view> machine = ParseMachine(request->parent(), "parent");
    if (!machine.ok()) return machine.status();
    absl::StatusOr<store::ProfileRecord> profile = ToRecord(*machine, request->profile());
    if (!profile.ok()) return profile.status();
    const absl::StatusOr<store::ProfileRecord> stored =
        AddProfileRevision(core_, *std::move(profile), request->request_id(), actor);
    if (!stored.ok()) return stored.status();
    FromRecord(*stored, ActiveRevision(core_, stored->machine) == stored->revision, response);
    return absl::OkStatus();
  };
  return FinishFromPool(*core_.change_pool, context, answer);
}

grpc::ServerUnaryReactor* Profiles::GetProfile(grpc::CallbackServerContext* context,
                                               const v1::GetProfileRequest* request,
                                               v1::Profile* response) {
  return FinishFromPool(*core_.pool, context, [this, request, response]() -> absl::Status {
    const absl::StatusOr<ProfileName> name = ParseProfile(request->name(), "name");
    if (!name.ok()) return name.status();
    const absl::StatusOr<store::ProfileRecord> profile =
        core_.store->GetProfile(name->machine, name->revision);
    if (!profile.ok()) return profile.status();
    FromRecord(*profile, ActiveRevision(core_, profile->machine) == profile->revision, response);
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* Profiles::ListProfiles(grpc::CallbackServerContext* context,
                                                 const v1::ListProfilesRequest* request,
                                                 v1::ListProfilesResponse* response) {
  return FinishFromPool(
      *core_.pool, context,
      [this, request, response,
       visible = VisibleNames(core_.hides_foreign_jobs, CallingPrincipal())]() -> absl::Status {
        const absl::StatusOr<absl::string_view> machine = ParseMachine(request->parent(), "parent");
        if (!machine.ok()) return machine.status();
        const std::string list = absl::StrCat("profiles/", *machine);
        const absl::StatusOr<Page> page =
            OpenPage(list, request->page_size(), request->page_token(), 50, 500);
        if (!page.ok()) return page.status();
        if (const auto known = core_.store->GetMachine(*machine); !known.ok())
          return known.status();
        const absl::StatusOr<std::vector<store::ProfileRecord>> profiles =
            core_.store->ListProfiles(*machine, page->cursor, page->size + 1);
        if (!profiles.ok()) return profiles.status();
        const int64_t active = ActiveRevision(core_, std::string(*machine));
        for (const store::ProfileRecord& profile : *profiles) {
          if (response->profiles_size() == page->size) {
            response->set_next_page_token(
                MakePageToken(list, absl::StrCat((*profiles)[page->size - 1].revision)));
            break;
          }
          FromRecord(profile, profile.revision == active, response->add_profiles());
        }
        if (const auto held = core_.learner->HeldOf(std::string(*machine))) {
          v1::HeldRevision* out = response->mutable_held();
          out->set_base_revision(held->base_revision);
          out->set_factor(held->factor);
          out->set_observation_count(held->observation_count);
          for (const std::string& source : held->sources) {
            if (visible.ShowsSource(source)) out->add_sources(source);
          }
        }
        return absl::OkStatus();
      });
}

grpc::ServerUnaryReactor* Profiles::PinProfile(grpc::CallbackServerContext* context,
                                               const v1::PinProfileRequest* request,
                                               v1::Profile* response) {
  const auto answer = [this, request, response, actor = CallingActor()]() -> absl::Status {
    const absl::StatusOr<ProfileName> name = ParseProfile(request->name(), "name");
    if (!name.ok()) return name.status();
    if (absl::Status pinned = core_.store->PinProfile(name->machine, name->revision, actor);
        !pinned.ok()) {
      return pinned;
    }
    if (absl::Status refreshed = core_.learner->Refresh(name->machine); !refreshed.ok()) {
      return refreshed;
    }
    const absl::StatusOr<store::ProfileRecord> active = core_.store->GetProfile(name->machine, 0);
    if (!active.ok()) return active.status();
    FromRecord(*active, true, response);
    return absl::OkStatus();
  };
  return FinishFromPool(*core_.change_pool, context, answer);
}

grpc::ServerUnaryReactor* Profiles::RollbackProfile(grpc::CallbackServerContext* context,
                                                    const v1::RollbackProfileRequest* request,
                                                    v1::Profile* response) {
  const auto answer = [this, request, response, actor = CallingActor()]() -> absl::Status {
    const absl::StatusOr<ProfileName> name = ParseProfile(request->name(), "name");
    if (!name.ok()) return name.status();
    absl::StatusOr<store::ProfileRecord> old =
        core_.store->GetProfile(name->machine, name->revision);
    if (!old.ok()) return old.status();
    old->note = absl::StrCat("rolled back to revision ", old->revision);
    old->provenance = "edited";
    const absl::StatusOr<store::ProfileRecord> stored =
        AddProfileRevision(core_, *std::move(old), request->request_id(), actor);
    if (!stored.ok()) return stored.status();
    // A pin would keep the new revision from becoming active.
    if (absl::Status unpinned = core_.store->PinProfile(stored->machine, 0); !unpinned.ok()) {
      return unpinned;
    }
    if (absl::Status refreshed = core_.learner->Refresh(stored->machine); !refreshed.ok()) {
      return refreshed;
    }
    FromRecord(*stored, true, response);
    return absl::OkStatus();
  };
  return FinishFromPool(*core_.change_pool, context, answer);
}

grpc::ServerUnaryReactor* Profiles::AcceptProfile(grpc::CallbackServerContext* context,
                                                  const v1::AcceptProfileRequest* request,
                                                  v1::Profile* response) {
  const auto answer = [this, request, response, actor = CallingActor()]() -> absl::Status {
    const absl::StatusOr<absl::string_view> machine = ParseMachine(request->parent(), "parent");
    if (!machine.ok()) return machine.status();
    const absl::StatusOr<store::ProfileRecord> accepted =
        core_.learner->Accept(std::string(*machine), actor);
    if (!accepted.ok()) return accepted.status();
    FromRecord(*accepted, true, response);
    return absl::OkStatus();
  };
  return FinishFromPool(*core_.change_pool, context, answer);
}

grpc::ServerWriteReactor<v1::Profile>* Profiles::WatchProfile(
    grpc::CallbackServerContext* context, const v1::WatchProfileRequest* request) {
  return StartProfileWatch(core_, context, CallingPrincipal(), request->parent());
}

}  // namespace cox::service
