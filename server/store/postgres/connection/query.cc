#include "store/postgres/connection/query.h"

#include <libpq-fe.h>

#include <cstddef>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace cox::store::postgres {
namespace {

// A read asks at every so many rows whether it is cancelled.
constexpr int64_t kRowsPerQuestion = 4'000;

template <typename Values>
std::string ArrayFrom(Type element, const Values& values) {
  std::string out = ArrayOf(element, values.size());
  for (const auto& value : values) AppendField(value, out);
  return out;
}

}  // namespace

Query::~Query() {
  if (ended_ || !sent_) return;
  // Without streaming all rows are here already.
  if (!streams_) {
    session_.Drain();
  } else if (!session_.DrainWhatIsHere()) {
    session_.Abandon("the rest of the rows was not wanted");
  }
}

Query& Query::Bind(Type type, std::string bytes) {
  types_.push_back(static_cast<unsigned>(type));
  values_.push_back(std::move(bytes));
  nulls_.push_back(false);
  return *this;
}

Query& Query::Bind(int64_t value) {
  std::string bytes;
  AppendInt64(value, bytes);
  return Bind(Type::kInt, std::move(bytes));
}

Query& Query::Bind(double value) {
  std::string bytes;
  AppendReal(value, bytes);
  return Bind(Type::kReal, std::move(bytes));
}

Query& Query::Bind(absl::string_view value) { return Bind(Type::kText, std::string(value)); }

Query& Query::BindNull() {
  Bind(Type::kUnknown, "");
  nulls_.back() = true;
  return *this;
}

Query& Query::BindAll(absl::Span<const int64_t> values) {
  return Bind(Type::kIntArray, ArrayFrom(Type::kInt, values));
}

Query& Query::BindAll(absl::Span<const double> values) {
  return Bind(Type::kRealArray, ArrayFrom(Type::kReal, values));
}

Query& Query::BindAll(absl::Span<const std::string> values) {
  return Bind(Type::kTextArray, ArrayFrom(Type::kText, values));
}

Query& Query::BindAllBytes(absl::Span<const std::string> values) {
  return Bind(Type::kBytesArray, ArrayFrom(Type::kBytes, values));
}

Query& Query::Stream() {
  streams_ = true;
  return *this;
}

absl::StatusOr<std::string> Query::Prepare() {
  if (const auto it = session_.statements_.find(sql_); it != session_.statements_.end()) {
    return it->second;
  }
  std::string name = absl::StrCat("s", session_.statements_.size());
  if (PQsendPrepare(session_.connection_, name.c_str(), sql_.c_str(),
                    static_cast<int>(types_.size()), types_.data()) != 1) {
    return session_.LostConnection();
  }
  const Result prepared = session_.LastResult();
  if (absl::Status status = session_.StatusOf(prepared.get()); !status.ok()) return status;
  session_.statements_.emplace(sql_, name);
  return name;
}

void Query::Send() {
  sent_ = true;
  ended_ = true;  // until it is known that results will come
  if (!session_.IsConnected()) {
    status_ = session_.LostConnection();
    return;
  }
  const absl::StatusOr<std::string> name = Prepare();
  if (!name.ok()) {
    status_ = name.status();
    return;
  }
  std::vector<const char*> values;
  std::vector<int> lengths;
  for (size_t i = 0; i < values_.size(); ++i) {
    values.push_back(nulls_[i] ? nullptr : values_[i].data());
    lengths.push_back(static_cast<int>(values_[i].size()));
  }
  const std::vector<int> formats(values_.size(), 1);
  if (PQsendQueryPrepared(session_.connection_, name->c_str(), static_cast<int>(values.size()),
                          values.data(), lengths.data(), formats.data(), 1) != 1) {
    status_ = session_.LostConnection();
    return;
  }
  if (streams_) PQsetSingleRowMode(session_.connection_);
  ended_ = false;
}

void Query::Take() {
  row_ = -1;
  absl::StatusOr<Result> next = session_.NextResult();
  if (!next.ok()) status_ = next.status();
  ended_ = !next.ok() || *next == nullptr;
  if (ended_) return;
  result_ = *std::move(next);
  status_.Update(session_.StatusOf(result_.get()));
  int64_t changed = 0;
  if (absl::SimpleAtoi(PQcmdTuples(result_.get()), &changed)) changed_row_count_ = changed;
}

bool Query::Next() {
  if (!sent_) {
    Send();
    if (status_.ok()) Take();
  }
  if (session_.is_cancelled_ && ++read_count_ % kRowsPerQuestion == 1 && status_.ok() &&
      session_.is_cancelled_()) {
    status_ = absl::CancelledError("the read was cancelled");
  }
  while (!ended_ && status_.ok()) {
    if (++row_ < PQntuples(result_.get())) return true;
    Take();
  }
  if (!ended_) {
    if (absl::IsCancelled(status_)) {
      session_.Abandon("the read was cancelled");
    } else {
      session_.Drain();
    }
    ended_ = true;
  }
  return false;
}

absl::Status Query::Run() {
  while (Next()) {
  }
  return status_;
}

absl::StatusOr<int64_t> Query::Number() {
  const int64_t number = Next() ? Int(0) : 0;
  while (Next()) {
  }
  if (!status_.ok()) return status_;
  return number;
}

absl::string_view Query::Bytes(int column) const {
  return {PQgetvalue(result_.get(), row_, column),
          static_cast<size_t>(PQgetlength(result_.get(), row_, column))};
}

bool Query::IsNull(int column) const { return PQgetisnull(result_.get(), row_, column) != 0; }

}  // namespace cox::store::postgres
