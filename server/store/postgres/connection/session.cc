#include "store/postgres/connection/session.h"

#include <libpq-fe.h>
#include <poll.h>

#include <algorithm>
#include <iterator>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "domain/reports/final_answer.h"
#include "store/postgres/connection/binary.h"

namespace cox::store::postgres {
namespace {

using Clock = std::chrono::steady_clock;

// Time between two questions whether a read is cancelled.
constexpr int kAskEveryMs = 50;
// After so long without a word from the server it is asked whether it answers.
constexpr std::chrono::seconds kSilence{2};

// What a URL may say otherwise. A peer that does not answer is noticed within about 15 s.
constexpr const char* kDefaults[][2] = {
    {"fallback_application_name", "coxd"}, {"connect_timeout", "3"},
    {"tcp_user_timeout", "10000"},         {"keepalives_idle", "5"},
    {"keepalives_interval", "2"},          {"keepalives_count", "3"},
    {"client_encoding", "UTF8"},
};

constexpr const char* kReadOnly = "25006";

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
    {kReadOnly, absl::StatusCode::kUnavailable},
    // What an administrator has taken away he can give back: rows must wait for it.
    {"3D", absl::StatusCode::kUnavailable},
    {"28", absl::StatusCode::kUnavailable},
    {"42501", absl::StatusCode::kUnavailable},
    {"53", absl::StatusCode::kResourceExhausted},
    {"55P03", absl::StatusCode::kDeadlineExceeded},
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

constexpr const char* kEnding = "no connection to the database: the daemon is ending";

// The parameters of a connection.
struct Options {
  explicit Options(const std::string& url) {
    for (size_t i = 0; i < kCount; ++i) {
      names[i] = kDefaults[i][0];
      values[i] = kDefaults[i][1];
    }
    // Last: what the URL says overrides the defaults.
    names[kCount] = "dbname";
    values[kCount] = url.c_str();
  }
  // The same of the one host that `connection` uses.
  Options(const std::string& url, const pg_conn* connection) : Options(url) {
    const char* const host[kHost][2] = {{"host", PQhost(connection)},
                                        {"hostaddr", PQhostaddr(connection)},
                                        {"port", PQport(connection)},
                                        {"target_session_attrs", "any"}};
    for (size_t i = 0; i < kHost; ++i) {
      names[kCount + 1 + i] = host[i][0];
      values[kCount + 1 + i] = host[i][1];
    }
  }
  static constexpr size_t kCount = std::size(kDefaults);
  static constexpr size_t kHost = 4;
  const char* names[kCount + 1 + kHost + 1] = {};
  const char* values[kCount + 1 + kHost + 1] = {};
};

absl::Status ErrorOf(absl::string_view code, absl::string_view message) {
  message = absl::StripAsciiWhitespace(message);
  const Meaning* const found =
      std::find_if(std::begin(kMeanings), std::end(kMeanings),
                   [code](const Meaning& meaning) { return absl::StartsWith(code, meaning.code); });
  return absl::Status(found == std::end(kMeanings) ? absl::StatusCode::kInternal : found->status,
                      absl::StrCat(domain::kFromPostgres, message, " (", code, ")"));
}

}  // namespace

void ClearResult::operator()(pg_result* result) const { PQclear(result); }

Session::Session(std::string url, std::string set_up)
    : url_(std::move(url)), set_up_(std::move(set_up)) {}

Session::~Session() { Abandon(""); }

absl::Status Session::Connect() {
  if (is_impatient_ && has_failed_) return absl::UnavailableError(kEnding);
  Abandon("");
  statements_.clear();
  why_lost_.clear();
  has_hung_ = false;
  if (GivesUp()) return absl::UnavailableError(kEnding);
  has_failed_ = true;  // unless it succeeds
  const Options options(url_);
  connection_ = PQconnectdbParams(options.names, options.values, 1);
  if (connection_ == nullptr) return absl::ResourceExhaustedError("no memory for a connection");
  if (PQstatus(connection_) != CONNECTION_OK) {
    return absl::UnavailableError(
        absl::StrCat("cannot reach the database ", WithoutPassword(url_), ": ",
                     absl::StripAsciiWhitespace(PQerrorMessage(connection_))));
  }
  PQsetNoticeProcessor(
      connection_, [](void*, const char*) {}, nullptr);
  if (PQsetnonblocking(connection_, 1) != 0) return LostConnection();
  absl::Status status = Execute(set_up_);
  has_failed_ = !status.ok();
  return status;
}

bool Session::GivesUp() const { return Clock::now() >= give_up_at_.load(); }

bool Session::ServerAnswers() const {
  const Options options(url_, connection_);
  return PQpingParams(options.names, options.values, 1) == PQPING_OK;
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
  return StatusOf(Run(sql).get());
}

Result Session::Run(const std::string& sql) {
  return PQsendQuery(connection_, sql.c_str()) == 1 ? LastResult() : nullptr;
}

Result Session::LastResult() {
  Result last;
  while (AwaitAnswer(/*may_cancel=*/false) == Wait::kAnswered) {
    Result next(PQgetResult(connection_));
    if (next == nullptr) return last;
    last = std::move(next);
    // The server waits for rows.
    if (PQresultStatus(last.get()) == PGRES_COPY_IN) return last;
  }
  return nullptr;
}

absl::Status Session::Commit() {
  if (!IsConnected()) return LostConnection();
  const Result result = Run("COMMIT");
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
  if (absl::Status begun = StatusOf(Run(sql).get()); !begun.ok()) return begun;
  constexpr size_t kPieceBytes = size_t{1} << 20;
  bool sent = true;
  while (sent && !rows.empty()) {
    const absl::string_view piece = rows.substr(0, kPieceBytes);
    sent = PQputCopyData(connection_, piece.data(), static_cast<int>(piece.size())) == 1;
    rows.remove_prefix(piece.size());
  }
  if (!sent || PQputCopyEnd(connection_, nullptr) != 1) return LostConnection();
  absl::Status status;
  while (AwaitAnswer(/*may_cancel=*/false) == Wait::kAnswered) {
    const Result result(PQgetResult(connection_));
    if (result == nullptr) return status;
    status.Update(StatusOf(result.get()));
  }
  return LostConnection();
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

Session::Wait Session::AwaitAnswer(bool may_cancel) {
  Clock::time_point heard = Clock::now();
  Clock::time_point asked = heard;  // whether the server answers, or `heard`
  while (true) {
    const int unsent = PQflush(connection_);
    // After an error PQgetResult() says what is wrong.
    if (unsent < 0 || (unsent == 0 && PQisBusy(connection_) == 0)) return Wait::kAnswered;
    pollfd ready{.fd = PQsocket(connection_),
                 .events = static_cast<int16_t>(unsent > 0 ? POLLIN | POLLOUT : POLLIN),
                 .revents = 0};
    const bool is_ready = poll(&ready, 1, kAskEveryMs) > 0;
    // Also after a while: TLS may have bytes that the socket does not show any more.
    if (ready.revents != POLLOUT && PQconsumeInput(connection_) == 0) return Wait::kAnswered;
    if (is_ready) {
      heard = asked = Clock::now();
    } else if (may_cancel && is_cancelled_ && is_cancelled_()) {
      Abandon("the read was cancelled");
      return Wait::kCancelled;
    }
    if (GivesUp()) {
      Abandon("the daemon is ending");
      return Wait::kLost;
    }
    if (Clock::now() < asked + kSilence) continue;
    if (is_impatient_ || Clock::now() >= heard + most_silence_ || !ServerAnswers()) {
      Abandon("the server does not answer");
      has_hung_ = has_failed_ = true;
      return Wait::kLost;
    }
    asked = Clock::now();
  }
}

absl::StatusOr<Result> Session::NextResult() {
  switch (AwaitAnswer(/*may_cancel=*/true)) {
    case Wait::kCancelled:
      return absl::CancelledError("the read was cancelled");
    case Wait::kLost:
      return LostConnection();
    case Wait::kAnswered:
      break;
  }
  return Result(PQgetResult(connection_));
}

absl::Status Session::StatusOf(const pg_result* result) {
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
  absl::Status status = ErrorOf(code, message == nullptr ? "" : message);
  // The next connection looks for a host anew.
  if (absl::string_view(code) == kReadOnly) Abandon(status.message());
  return status;
}

absl::Status Session::LostConnection() const {
  const absl::string_view why = absl::StripAsciiWhitespace(
      connection_ == nullptr ? absl::string_view(why_lost_) : PQerrorMessage(connection_));
  return absl::UnavailableError(absl::StrCat("no connection to the database ",
                                             WithoutPassword(url_), why.empty() ? "" : ": ", why));
}

void Session::Drain() {
  while (AwaitAnswer(/*may_cancel=*/false) == Wait::kAnswered && Result(PQgetResult(connection_))) {
  }
}

bool Session::DrainWhatIsHere() {
  constexpr int kFew = 64;
  for (int i = 0; i < kFew && PQisBusy(connection_) == 0; ++i) {
    if (Result(PQgetResult(connection_)) == nullptr) return true;
  }
  return false;
}

void Session::Abandon(absl::string_view why) {
  why_lost_ = std::string(why);
  PQfinish(std::exchange(connection_, nullptr));
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
