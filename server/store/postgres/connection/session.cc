#include "store/postgres/connection/session.h"

#include <libpq-fe.h>
#include <poll.h>

#include <algorithm>
#include <iterator>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "store/postgres/connection/binary.h"

namespace cox::store::postgres {
namespace {

// Time between two questions whether a read is cancelled.
constexpr int kAskEveryMs = 50;

// What a URL may say otherwise. A peer that does not answer is noticed within about 15 s.
constexpr const char* kDefaults[][2] = {
    {"fallback_application_name", "coxd"}, {"connect_timeout", "3"},
    {"tcp_user_timeout", "10000"},         {"keepalives_idle", "5"},
    {"keepalives_interval", "2"},          {"keepalives_count", "3"},
    {"client_encoding", "UTF8"},
};

// Codes of errors, and what they mean here. The first that `code` begins with counts.
struct Meaning {
  const char* code;
  absl::StatusCode status;
};
constexpr Meaning kMeanings[] = {
    {"23505", absl::StatusCode::kAlreadyExists},
    {"22021", absl::StatusCode::kInvalidArgument},
    {"22P05", absl::StatusCode::kInvalidArgument},
    // Read-only: a failover is under way, and who takes this as final would drop its rows.
    {"25006", absl::StatusCode::kUnavailable},
    {"3D", absl::StatusCode::kFailedPrecondition},
    {"28", absl::StatusCode::kFailedPrecondition},
    {"42501", absl::StatusCode::kFailedPrecondition},
    {"53", absl::StatusCode::kResourceExhausted},
    {"57014", absl::StatusCode::kCancelled},
    {"57", absl::StatusCode::kUnavailable},
    {"08", absl::StatusCode::kUnavailable},
    {"25P03", absl::StatusCode::kUnavailable},
    {"40", absl::StatusCode::kUnavailable},
    {"55", absl::StatusCode::kUnavailable},
    {"58", absl::StatusCode::kUnavailable},
    {"XX001", absl::StatusCode::kDataLoss},
    {"XX002", absl::StatusCode::kDataLoss},
};

absl::Status ErrorOf(absl::string_view code, absl::string_view message) {
  message = absl::StripAsciiWhitespace(message);
  const Meaning* const found =
      std::find_if(std::begin(kMeanings), std::end(kMeanings),
                   [code](const Meaning& meaning) { return absl::StartsWith(code, meaning.code); });
  return absl::Status(found == std::end(kMeanings) ? absl::StatusCode::kInternal : found->status,
                      absl::StrCat("PostgreSQL: ", message, " (", code, ")"));
}

}  // namespace

void ClearResult::operator()(pg_result* result) const { PQclear(result); }

Session::Session(std::string url, std::string set_up)
    : url_(std::move(url)), set_up_(std::move(set_up)) {}

Session::~Session() { PQfinish(connection_); }

absl::Status Session::Connect() {
  PQfinish(connection_);
  statements_.clear();
  constexpr size_t kCount = std::size(kDefaults);
  const char* names[kCount + 2] = {};
  const char* values[kCount + 2] = {};
  for (size_t i = 0; i < kCount; ++i) {
    names[i] = kDefaults[i][0];
    values[i] = kDefaults[i][1];
  }
  // Last: what the URL says overrides the defaults.
  names[kCount] = "dbname";
  values[kCount] = url_.c_str();
  connection_ = PQconnectdbParams(names, values, 1);
  if (connection_ == nullptr) return absl::ResourceExhaustedError("no memory for a connection");
  if (PQstatus(connection_) != CONNECTION_OK) {
    return absl::UnavailableError(
        absl::StrCat("cannot reach the database ", WithoutPassword(url_), ": ",
                     absl::StripAsciiWhitespace(PQerrorMessage(connection_))));
  }
  PQsetNoticeProcessor(
      connection_, [](void*, const char*) {}, nullptr);
  return Execute(set_up_);
}

bool Session::IsConnected() const {
  return connection_ != nullptr && PQstatus(connection_) == CONNECTION_OK;
}

bool Session::InTransaction() const {
  const PGTransactionStatusType state = PQtransactionStatus(connection_);
  return state == PQTRANS_INTRANS || state == PQTRANS_INERROR || state == PQTRANS_ACTIVE;
}

absl::Status Session::Execute(const std::string& sql) {
  if (!IsConnected()) return LostConnection();
  return StatusOf(Result(PQexec(connection_, sql.c_str())).get());
}

absl::Status Session::Commit() {
  if (!IsConnected()) return LostConnection();
  const Result result(PQexec(connection_, "COMMIT"));
  absl::Status status = StatusOf(result.get());
  // COMMIT after an error ends the transaction without an error of its own.
  if (status.ok() && absl::StrContains(PQcmdStatus(result.get()), "ROLLBACK")) {
    return absl::InternalError("PostgreSQL rolled back: a statement of the transaction had failed");
  }
  return status;
}

absl::Status Session::CopyRows(absl::string_view table, absl::string_view rows) {
  if (!IsConnected()) return LostConnection();
  const std::string sql = absl::StrCat("COPY ", table, " FROM STDIN (FORMAT binary)");
  if (absl::Status begun = StatusOf(Result(PQexec(connection_, sql.c_str())).get()); !begun.ok()) {
    return begun;
  }
  constexpr size_t kPieceBytes = size_t{1} << 20;
  bool sent = true;
  while (sent && !rows.empty()) {
    const absl::string_view piece = rows.substr(0, kPieceBytes);
    sent = PQputCopyData(connection_, piece.data(), static_cast<int>(piece.size())) == 1;
    rows.remove_prefix(piece.size());
  }
  if (!sent || PQputCopyEnd(connection_, nullptr) != 1) return LostConnection();
  absl::Status status;
  while (const Result result{PQgetResult(connection_)}) status.Update(StatusOf(result.get()));
  return status;
}

bool Session::AwaitNotice(int wake_fd, std::chrono::steady_clock::time_point deadline) {
  while (true) {
    bool was_noticed = false;
    while (PGnotify* const notice = PQnotifies(connection_)) {
      PQfreemem(notice);
      was_noticed = true;
    }
    if (was_noticed) return true;
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    // Without a connection poll() takes no notice of its place.
    pollfd ready[] = {{.fd = wake_fd, .events = POLLIN, .revents = 0},
                      {.fd = PQsocket(connection_), .events = POLLIN, .revents = 0}};
    const int count = poll(ready, std::size(ready), std::max(0, static_cast<int>(left.count())));
    if (count == 0 || ready[0].revents != 0) return false;
    if (count > 0 && PQconsumeInput(connection_) == 0) return false;
  }
}

absl::StatusOr<Result> Session::NextResult() {
  if (is_cancelled_) {
    while (PQisBusy(connection_) != 0) {
      pollfd ready{.fd = PQsocket(connection_), .events = POLLIN, .revents = 0};
      const int count = poll(&ready, 1, kAskEveryMs);
      if (count == 0 && is_cancelled_()) {
        Abandon();
        return absl::CancelledError("the read was cancelled");
      }
      // After an error PQgetResult() says what is wrong.
      if (count > 0 && PQconsumeInput(connection_) == 0) break;
    }
  }
  return Result(PQgetResult(connection_));
}

absl::Status Session::StatusOf(const pg_result* result) const {
  if (result == nullptr) return LostConnection();
  switch (PQresultStatus(result)) {
    case PGRES_EMPTY_QUERY:
    case PGRES_COMMAND_OK:
    case PGRES_TUPLES_OK:
    case PGRES_SINGLE_TUPLE:
    case PGRES_COPY_IN:
      return absl::OkStatus();
    default:
      break;
  }
  const char* const code = PQresultErrorField(result, PG_DIAG_SQLSTATE);
  if (code == nullptr) return LostConnection();
  const char* const message = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
  return ErrorOf(code, message == nullptr ? "" : message);
}

absl::Status Session::LostConnection() const {
  const absl::string_view why =
      absl::StripAsciiWhitespace(connection_ == nullptr ? "" : PQerrorMessage(connection_));
  return absl::UnavailableError(absl::StrCat("no connection to the database ",
                                             WithoutPassword(url_), why.empty() ? "" : ": ", why));
}

void Session::Drain() {
  while (Result(PQgetResult(connection_))) {
  }
}

void Session::Abandon() {
  char ignored[256];
  PGcancel* const cancel = PQgetCancel(connection_);
  if (cancel != nullptr) PQcancel(cancel, ignored, sizeof ignored);
  PQfreeCancel(cancel);
  Drain();
}

std::string WithoutPassword(absl::string_view url) {
  const std::string text(url);
  PQconninfoOption* const options = PQconninfoParse(text.c_str(), nullptr);
  if (options == nullptr) return "(not a URL that libpq reads)";
  std::string shown = "postgresql://";
  std::string host;
  std::string port;
  std::string name;
  for (const PQconninfoOption* option = options; option->keyword != nullptr; ++option) {
    if (option->val == nullptr) continue;
    const absl::string_view keyword = option->keyword;
    if (keyword == "host") host = option->val;
    if (keyword == "port") port = option->val;
    if (keyword == "dbname") name = option->val;
  }
  PQconninfoFree(options);
  absl::StrAppend(&shown, host, port.empty() ? "" : ":", port, "/", name);
  return shown;
}

}  // namespace cox::store::postgres
