// cox watch: a machine's active profile each time that it changes, and the drifts behind changes.
#include <cox/v1/machine.pb.h>
#include <cox/v1/observation.pb.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <thread>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/methods.h"
#include "cli/options/shared_options.h"
#include "cli/output/drift_text.h"
#include "cli/output/profile_view.h"
#include "cli/resource_names.h"
#include "cli/verbs/verbs.h"
#include "console/printable.h"
#include "console/table.h"
#include "console/units.h"
#include "domain/words/counted.h"

namespace cox::cli {
namespace {

constexpr auto kReconnectDelay = std::chrono::seconds(1);

// Of a change, the parameters that moved most. --wide shows all.
constexpr size_t kShownChanges = 10;

// Prints a line about the first profile, then the changes.
class Watcher {
 public:
  Watcher(Session& session, int64_t limit) : session_(session), limit_(limit) {}

  // Whether enough has been seen.
  bool Show(const v1::Profile& profile) {
    // After a reconnection the daemon sends the active profile again.
    if (profile.revision() == revision_) return false;
    if (session_.json()) {
      session_.PrintJson(profile);
    } else if (revision_ == 0) {
      PrintProfileTitle(profile, session_.out());
    } else {
      PrintChange(profile);
    }
    session_.out() << std::flush;
    Remember(profile);
    ++seen_;
    return limit_ > 0 && seen_ >= limit_;
  }

 private:
  using Key = std::tuple<std::string, std::string, std::string, double>;

  static Key KeyOf(const v1::Parameter& parameter) {
    return {parameter.model(), parameter.level(), parameter.name(), parameter.above()};
  }

  void Remember(const v1::Profile& profile) {
    revision_ = profile.revision();
    values_.clear();
    for (const v1::Parameter& parameter : profile.parameters()) {
      values_[KeyOf(parameter)] = parameter.value();
    }
  }

  void PrintChange(const v1::Profile& profile) {
    session_.out() << '\n'
                   << TimeText(profile.create_time()) << "  @" << revision_ << " -> @"
                   << profile.revision() << "  " << ProvenanceText(profile.provenance()) << "\n  "
                   << console::Printable(profile.note()) << '\n';
    struct Change {
      const v1::Parameter* parameter;
      double log_factor;  // infinite: the parameter is new, or was 0
    };
    std::vector<Change> changes;
    for (const v1::Parameter& parameter : profile.parameters()) {
      const auto before = values_.find(KeyOf(parameter));
      if (before != values_.end() && before->second == parameter.value()) continue;
      const bool has_ratio = before != values_.end() && before->second > 0 && parameter.value() > 0;
      changes.push_back(
          {&parameter, has_ratio ? std::log(parameter.value() / before->second) : HUGE_VAL});
    }
    std::stable_sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) {
      return std::abs(a.log_factor) > std::abs(b.log_factor);
    });
    console::Table table(
        {{"MODEL"}, {"LEVEL"}, {"PARAMETER"}, {"VALUE", console::Align::kRight}, {"CHANGE"}});
    for (const auto& [parameter, log_factor] : changes) {
      if (!session_.wide() && table.size() >= kShownChanges) break;
      table.Add({parameter->model(), parameter->level(), parameter->name(),
                 console::FormatQuantity(parameter->value(), parameter->unit()),
                 std::isfinite(log_factor)
                     ? absl::StrFormat("%+.2f %%", 100 * std::expm1(log_factor))
                     : std::string("new")});
    }
    if (!table.empty()) table.Print(session_.out());
    if (table.size() < changes.size()) {
      session_.out() << "and " << changes.size() - table.size()
                     << " smaller changes (--wide shows all)\n";
    }
  }

  Session& session_;
  int64_t limit_;
  int64_t seen_ = 0;
  int64_t revision_ = 0;
  std::map<Key, double> values_;
};

// Prints the drifts since the last call; at the first call all are old. Each drift makes a
// revision, so this is called for each revision.
class DriftNews {
 public:
  DriftNews(Session& session, std::string machine)
      : session_(session), machine_(std::move(machine)) {}

  absl::Status Show() {
    v1::ListDriftsRequest request;
    request.set_parent(MachineName(machine_));
    v1::ListDriftsResponse response;
    absl::Status status = session_.connection().Call(kListDrifts, request, response);
    // An older daemon knows none.
    if (absl::IsUnimplemented(status)) return absl::OkStatus();
    if (!status.ok()) return status;
    v1::ListDriftsResponse news;
    for (const v1::Drift& drift : response.drifts()) {
      if (known_ && drift.id() > last_id_) *news.add_drifts() = drift;
    }
    if (response.drifts_size() > 0) last_id_ = std::max(last_id_, response.drifts(0).id());
    known_ = true;
    if (news.drifts_size() == 0) return absl::OkStatus();
    if (session_.json()) {
      session_.PrintJson(news);
    } else {
      for (const v1::Drift& drift : news.drifts()) Print(drift);
    }
    session_.out() << std::flush;
    return absl::OkStatus();
  }

 private:
  void Print(const v1::Drift& drift) {
    session_.out() << '\n'
                   << TimeText(drift.create_time()) << "  drift: " << DescribeDrift(drift) << ": "
                   << domain::Counted(drift.observation_count(), "observation") << " since number "
                   << drift.first_observation_id() << '\n';
    console::Table table({{"LIBRARY"},
                          {"COLLECTIVE"},
                          {"ALGORITHM"},
                          {"RANKS", console::Align::kRight},
                          {"BYTES", console::Align::kRight},
                          {"FACTOR", console::Align::kRight},
                          {"COUNT", console::Align::kRight}});
    for (const v1::DriftEvidence& row : drift.evidence()) {
      table.Add({row.library(), row.collective(), row.algorithm(), absl::StrCat(row.ranks()),
                 console::FormatBytes(row.block_bytes()), absl::StrFormat("%.2f", row.factor()),
                 absl::StrCat(row.observation_count())});
    }
    table.Print(session_.out());
  }

  Session& session_;
  const std::string machine_;
  bool known_ = false;
  int64_t last_id_ = 0;
};

absl::Status Watch(Session& session, const std::string& machine, int64_t limit) {
  Connection& connection = session.connection();
  absl::Status connected = connection.Connect();
  if (!connected.ok()) return connected;
  Watcher watcher(session, limit);
  DriftNews drifts(session, machine);
  v1::WatchProfileRequest request;
  request.set_parent(MachineName(machine));
  v1::Profile profile;
  bool told = false;
  while (true) {
    absl::Status status = connection.Listen(kWatchProfile, request, profile, [&] {
      told = false;
      if (absl::Status news = drifts.Show(); !news.ok()) session.Note(news.message());
      return !watcher.Show(profile);
    });
    if (!absl::IsUnavailable(status)) return status;
    // The daemon ends or restarts: wait for it.
    if (!told) session.Note("coxd has ended; waiting until it is back");
    told = true;
    do {
      std::this_thread::sleep_for(kReconnectDelay);
    } while (!connection.Connect().ok());
  }
}

}  // namespace

void AddWatchVerb(Verb app) {
  Verb verb = app.Sub("watch", "Show profile changes and drifts as they happen");
  verb.Footer(
      "Example:\n"
      "  cox --json watch cluster | jq -c '{revision, note}'\n"
      "Runs until Ctrl-C, also while coxd restarts. With --json: a profile per line, and\n"
      "a line with \"drifts\" before the profile that follows a drift.");
  struct WatchOptions {
    std::string machine;
    int64_t limit = 0;
  };
  auto options = std::make_shared<WatchOptions>();
  AddMachineArgument(verb, options->machine);
  AddCount(verb, "--limit", options->limit, 1, std::numeric_limits<int32_t>::max(),
           "End after this many profiles");
  verb.Do([options](Session& session) { return Watch(session, options->machine, options->limit); });
}

}  // namespace cox::cli
