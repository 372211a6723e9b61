#include "service/entry/known_callers.h"

#include <unistd.h>

#include <utility>

#include "absl/strings/escaping.h"

namespace cox::service {
namespace {

constexpr size_t kTicketBytes = 16;

}  // namespace

absl::StatusOr<std::unique_ptr<KnownCallers::Ticket>> KnownCallers::Issue(Who who,
                                                                          absl::Status allowed) {
  std::string bytes(kTicketBytes, '\0');
  if (getentropy(bytes.data(), bytes.size()) != 0) {
    return absl::UnavailableError("the system has no random bytes; try again later");
  }
  auto ticket =
      std::make_unique<Ticket>(this, absl::BytesToHexString(bytes), who, std::move(allowed));
  const std::lock_guard lock(mutex_);
  callers_.emplace(ticket->text(), std::move(who));
  return ticket;
}

std::optional<KnownCallers::Who> KnownCallers::Redeem(absl::string_view ticket) {
  const std::lock_guard lock(mutex_);
  const auto found = callers_.find(ticket);
  if (found == callers_.end()) return std::nullopt;
  Who who = std::move(found->second);
  callers_.erase(found);
  return who;
}

}  // namespace cox::service
