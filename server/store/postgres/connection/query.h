// A statement with parameters: bind, then step. The session keeps the prepared statement for the
// next query of the same text.
//
//   Query query(session, "SELECT name FROM machine WHERE machine_id > $1");
//   query.Bind(int64_t{7});
//   while (query.Next()) names.push_back(query.Text(0));
//   return query.status();
//
// Thread rule: the session's. Failure rule: as session.h.
#ifndef COX_STORE_POSTGRES_CONNECTION_QUERY_H_
#define COX_STORE_POSTGRES_CONNECTION_QUERY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "store/postgres/connection/binary.h"
#include "store/postgres/connection/session.h"

namespace cox::store::postgres {

class Query {
 public:
  Query(Session& session, absl::string_view sql) : session_(session), sql_(sql) {}
  ~Query();
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;

  // Parameters in order: $1, $2, ...
  Query& Bind(int64_t value);
  Query& Bind(double value);
  Query& Bind(absl::string_view value);
  Query& BindNull();
  // Arrays: bigint[], double precision[], text[], bytea[].
  Query& BindAll(absl::Span<const int64_t> values);
  Query& BindAll(absl::Span<const double> values);
  Query& BindAll(absl::Span<const std::string> values);
  Query& BindAllBytes(absl::Span<const std::string> values);

  // Rows come one by one instead of all at once: for results that may be long. Until the query goes
  // the session runs no other statement.
  Query& Stream();

  // True: a row is there. False: no more, or an error (status()).
  bool Next();
  // Runs to the end and ignores rows.
  absl::Status Run();
  // The first column of the first row; 0 if there is none.
  absl::StatusOr<int64_t> Number();
  const absl::Status& status() const { return status_; }
  // Of INSERT, UPDATE or DELETE, after Run().
  int64_t ChangedRowCount() const { return changed_row_count_; }

  // Columns of the current row, from 0: whole numbers, double precision, text or bytes. NULL is 0
  // or "".
  int64_t Int(int column) const { return DecodeInt(Bytes(column)); }
  double Real(int column) const { return DecodeReal(Bytes(column)); }
  std::string Text(int column) const { return std::string(Bytes(column)); }
  // Valid until the next step.
  absl::string_view Bytes(int column) const;
  bool IsNull(int column) const;

 private:
  Query& Bind(Type type, std::string bytes);
  void Send();
  // Takes the next result, if there is one.
  void Take();
  // The name of the prepared statement.
  absl::StatusOr<std::string> Prepare();

  Session& session_;
  std::string sql_;
  std::vector<unsigned> types_;
  std::vector<std::string> values_;
  std::vector<bool> nulls_;
  bool streams_ = false;
  bool sent_ = false;
  bool ended_ = false;
  Result result_;
  int row_ = 0;
  int64_t read_count_ = 0;
  int64_t changed_row_count_ = 0;
  absl::Status status_;
};

}  // namespace cox::store::postgres

#endif  // COX_STORE_POSTGRES_CONNECTION_QUERY_H_
