// Values as PostgreSQL's binary format writes them: parameters, arrays, rows of COPY, results.
//
// Thread rule: pure. Failure rule: cannot fail; Decode functions take what the server wrote.
#ifndef COX_STORE_POSTGRES_CONNECTION_BINARY_H_
#define COX_STORE_POSTGRES_CONNECTION_BINARY_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace cox::store::postgres {

// Types of parameters: object ids of the server's catalogue, the same in every PostgreSQL.
enum class Type : unsigned {
  kUnknown = 0,  // the server infers it
  kBytes = 17,
  kInt = 20,
  kText = 25,
  kReal = 701,
  kBytesArray = 1001,
  kTextArray = 1009,
  kIntArray = 1016,
  kRealArray = 1022,
};

// Big-endian numbers, appended.
void AppendInt16(int16_t value, std::string& out);
void AppendInt32(int32_t value, std::string& out);
void AppendInt64(int64_t value, std::string& out);
void AppendReal(double value, std::string& out);

// A field of an array or of a row of COPY: its length, then its bytes.
void AppendField(int64_t value, std::string& out);
void AppendField(double value, std::string& out);
void AppendField(absl::string_view value, std::string& out);
void AppendNullField(std::string& out);

// The begin of an array with one dimension and no NULLs; its fields follow.
std::string ArrayOf(Type element, size_t size);

// The begin and the end of a COPY in binary format; rows are an int16 with the number of fields,
// then the fields.
std::string CopyBegin();
std::string CopyEnd();

// A whole number of 1, 2, 4 or 8 bytes; a double.
int64_t DecodeInt(absl::string_view bytes);
double DecodeReal(absl::string_view bytes);

// Whether the server stores it as text: UTF-8 without a byte 0.
bool IsText(absl::string_view text);

}  // namespace cox::store::postgres

#endif  // COX_STORE_POSTGRES_CONNECTION_BINARY_H_
