// cox profile list | show | pin | unpin | rollback
#include <cox/v1/machine.grpc.pb.h>

#include <limits>
#include <memory>

#include "absl/strings/str_cat.h"
#include "cli/files/compact_profile.h"
#include "cli/options.h"
#include "cli/output/profile_view.h"
#include "cli/resource_names.h"
#include "cli/verbs/verbs.h"
#include "console/table.h"

namespace cox::cli {
namespace {

using v1::ProfileService;

absl::Status List(Session& session, const std::string& machine, int64_t limit) {
  v1::ListProfilesResponse all;
  v1::ListProfilesRequest request;
  request.set_parent(MachineName(machine));
  request.set_page_size(static_cast<int32_t>(limit > 0 && limit < 500 ? limit : 500));
  do {
    v1::ListProfilesResponse page;
    absl::Status status = session.connection().Call<ProfileService>(
        &ProfileService::Stub::ListProfiles, request, page);
    if (!status.ok()) return status;
    request.set_page_token(page.next_page_token());
    all.mutable_profiles()->MergeFrom(page.profiles());
  } while (!request.page_token().empty() && (limit == 0 || all.profiles_size() < limit));
  if (limit > 0 && all.profiles_size() > limit) {
    all.mutable_profiles()->DeleteSubrange(static_cast<int>(limit),
                                           all.profiles_size() - static_cast<int>(limit));
  }
  if (session.json()) {
    session.PrintJson(all);
    return absl::OkStatus();
  }
  if (all.profiles_size() == 0) {
    session.Note(
        absl::StrCat(machine, " has no profile yet; `cox calibrate ", machine, "` makes one"));
    return absl::OkStatus();
  }
  console::Table table({{"REVISION", console::Align::kRight},
                        {""},
                        {"PROVENANCE"},
                        {"PARAMETERS", console::Align::kRight},
                        {"ADDED"},
                        {"NOTE"}});
  for (const v1::Profile& profile : all.profiles()) {
    table.Add({absl::StrCat("@", profile.revision()), profile.active() ? "*" : "",
               ProvenanceText(profile.provenance()), absl::StrCat(profile.parameters_size()),
               TimeText(profile.create_time()), profile.note()});
  }
  table.Print(session.out());
  return absl::OkStatus();
}

absl::Status Print(Session& session, const v1::Profile& profile) {
  if (session.json()) {
    session.PrintJson(profile);
  } else {
    PrintProfile(profile, session.out());
  }
  return absl::OkStatus();
}

absl::Status PrintCompact(Session& session, const v1::Profile& profile) {
  if (session.json()) {
    return absl::InvalidArgumentError("--compact is a file of its own form: without --json");
  }
  const absl::StatusOr<std::string> text = CompactProfile(profile);
  if (text.ok()) session.out() << *text;
  return text.status();
}

absl::Status Show(Session& session, const std::string& name, bool compact) {
  v1::GetProfileRequest request;
  request.set_name(name);
  v1::Profile profile;
  absl::Status status = session.connection().Call<ProfileService>(&ProfileService::Stub::GetProfile,
                                                                  request, profile);
  if (!status.ok()) return status;
  return compact ? PrintCompact(session, profile) : Print(session, profile);
}

// Says in one line which revision speaks now.
absl::Status Tell(Session& session, const v1::Profile& profile, absl::string_view what) {
  if (session.json()) {
    session.PrintJson(profile);
  } else {
    session.out() << what << " @" << profile.revision() << '\n';
  }
  return absl::OkStatus();
}

absl::Status Pin(Session& session, const std::string& name, bool unpin) {
  v1::PinProfileRequest request;
  request.set_name(name);
  v1::Profile profile;
  absl::Status status = session.connection().Call<ProfileService>(&ProfileService::Stub::PinProfile,
                                                                  request, profile);
  if (!status.ok()) return status;
  return Tell(
      session, profile,
      unpin ? "unpinned; refinement goes on, the newest speaks:" : "pinned; refinement pauses:");
}

absl::Status Rollback(Session& session, const std::string& name) {
  v1::RollbackProfileRequest request;
  request.set_name(name);
  request.set_request_id(NewUuid());
  v1::Profile profile;
  absl::Status status = session.connection().Call<ProfileService>(
      &ProfileService::Stub::RollbackProfile, request, profile);
  return status.ok() ? Tell(session, profile, "rolled back; what speaks now is") : status;
}

// The positional "M@REV". Its resource name goes to `name`.
void AddRevisionArgument(CLI::App& app, std::string& name, bool revision_required) {
  app.add_option_function<std::string>(
         revision_required ? "revision" : "profile",
         [&name, revision_required](const std::string& text) {
           absl::StatusOr<std::string> parsed = ProfileName(text, revision_required);
           if (!parsed.ok()) {
             throw CLI::ValidationError(std::string(parsed.status().message()));
           }
           name = *parsed;
         },
         revision_required ? "Machine and revision" : "Machine, and revision if not the active one")
      ->type_name(revision_required ? "MACHINE@REV" : "MACHINE[@REV]")
      ->required();
}

}  // namespace

void AddProfileVerb(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand(
      "profile", "List, show, pin and roll back the revisions of a machine's parameters");
  verb->require_subcommand(1);
  struct Options {
    std::string machine;
    std::string name;
    int64_t limit = 50;
    bool compact = false;
  };
  auto options = std::make_shared<Options>();

  CLI::App* list = verb->add_subcommand("list", "List a machine's revisions, newest first");
  AddMachineArgument(*list, options->machine);
  AddCount(*list, "--limit", options->limit, 0, std::numeric_limits<int32_t>::max(),
           "At most so many (default 50; 0: all)");
  list->callback([&action, options] {
    action = [options](Session& session) {
      return List(session, options->machine, options->limit);
    };
  });

  CLI::App* show = verb->add_subcommand("show", "Show the parameters of a revision");
  AddRevisionArgument(*show, options->name, false);
  show->add_flag("--compact", options->compact,
                 "Only what the collectives library chooses by, as the file that "
                 "COX_COLL_PROFILE names");
  show->callback([&action, options] {
    action = [options](Session& session) { return Show(session, options->name, options->compact); };
  });

  CLI::App* pin = verb->add_subcommand("pin", "Make one revision speak until it is unpinned");
  AddRevisionArgument(*pin, options->name, true);
  pin->callback([&action, options] {
    action = [options](Session& session) { return Pin(session, options->name, false); };
  });

  CLI::App* unpin = verb->add_subcommand("unpin", "Let the newest revision speak again");
  AddMachineArgument(*unpin, options->machine);
  unpin->callback([&action, options] {
    action = [options](Session& session) {
      return Pin(session, absl::StrCat(MachineName(options->machine), "/profiles/-"), true);
    };
  });

  CLI::App* rollback = verb->add_subcommand(
      "rollback", "Add a revision that repeats an older one, and let it speak");
  AddRevisionArgument(*rollback, options->name, true);
  rollback->callback([&action, options] {
    action = [options](Session& session) { return Rollback(session, options->name); };
  });

  // Last: verbs below this one would repeat it.
  verb->footer(
      "Examples:\n"
      "  cox profile show cluster\n"
      "  cox profile show cluster --compact > cluster.profile\n"
      "  cox profile rollback cluster@3");
}

}  // namespace cox::cli
