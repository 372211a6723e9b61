// Callers whom the daemon's own gateway has found out before it parsed their requests.
//
// A credential may be good once, so the gateway cannot send it on: it sends a ticket, by which the
// door knows what the gateway has found. Tickets are random and never leave the process. Any
// thread.
#ifndef COX_SERVICE_ENTRY_KNOWN_CALLERS_H_
#define COX_SERVICE_ENTRY_KNOWN_CALLERS_H_

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "access/principal.h"

namespace cox::service {

// The metadata of a call that has the ticket.
inline constexpr const char* kTicketHeader = "cox-ticket";

class KnownCallers {
 public:
  using Who = absl::StatusOr<access::Principal>;

  // A caller, for one call. KnownCallers outlives it.
  class Ticket {
   public:
    Ticket(KnownCallers* callers, std::string text, const Who& who, absl::Status allowed)
        : callers_(callers),
          text_(std::move(text)),
          principal_(who.ok() ? who->name : ""),
          is_operator_(who.ok() && who->role >= access::Role::kOperator),
          allowed_(std::move(allowed)) {}
    ~Ticket() { callers_->Redeem(text_); }
    Ticket(const Ticket&) = delete;
    Ticket& operator=(const Ticket&) = delete;

    const std::string& text() const { return text_; }            // printable
    const std::string& principal() const { return principal_; }  // its name; "": unknown
    bool is_operator() const { return is_operator_; }            // or more
    // Why the door will refuse the call for any request; OK: it will admit it.
    const absl::Status& allowed() const { return allowed_; }

   private:
    KnownCallers* const callers_;
    const std::string text_;
    const std::string principal_;
    const bool is_operator_;
    const absl::Status allowed_;
  };

  // `who` may be an error, which the door answers. UNAVAILABLE: the system has no random bytes.
  absl::StatusOr<std::unique_ptr<Ticket>> Issue(Who who, absl::Status allowed);

  // What Issue() was told. nullopt: there is no such ticket, or it was redeemed before.
  std::optional<Who> Redeem(absl::string_view ticket);

 private:
  std::mutex mutex_;
  absl::flat_hash_map<std::string, Who> callers_;  // by ticket; guarded by mutex_
};

}  // namespace cox::service

#endif  // COX_SERVICE_ENTRY_KNOWN_CALLERS_H_
