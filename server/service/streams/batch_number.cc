#include "service/streams/batch_number.h"

#include <google/protobuf/io/coded_stream.h>

#include "cox/v1/observation.pb.h"

namespace cox::service {
namespace {

using google::protobuf::io::CodedInputStream;

enum TagKind : uint32_t { kNumberKind = 0, kEightBytesKind = 1, kPartKind = 2, kFourBytesKind = 5 };

uint32_t TagOf(int field, TagKind kind) { return static_cast<uint32_t>(field) << 3 | kind; }

bool SkipValue(CodedInputStream* in, uint32_t tag) {
  uint64_t number = 0;
  uint32_t bytes = 0;
  switch (tag & 7) {
    case kNumberKind:
      return in->ReadVarint64(&number);
    case kEightBytesKind:
      return in->Skip(8);
    case kFourBytesKind:
      return in->Skip(4);
    case kPartKind:
      return in->ReadVarint32(&bytes) && in->Skip(static_cast<int>(bytes));
    default:
      return false;
  }
}

// Reads up to behind the first such tag.
bool FindTag(CodedInputStream* in, uint32_t wanted) {
  while (const uint32_t tag = in->ReadTag()) {
    if (tag == wanted) return true;
    if (!SkipValue(in, tag)) return false;
  }
  return false;
}

}  // namespace

std::optional<int64_t> BatchNumberOf(absl::string_view wire) {
  CodedInputStream in(reinterpret_cast<const uint8_t*>(wire.data()), static_cast<int>(wire.size()));
  uint32_t batch_bytes = 0;
  uint64_t number = 0;
  if (!FindTag(&in, TagOf(v1::StreamObservationsRequest::kBatchFieldNumber, kPartKind)) ||
      !in.ReadVarint32(&batch_bytes)) {
    return std::nullopt;
  }
  in.PushLimit(static_cast<int>(batch_bytes));
  if (!FindTag(&in, TagOf(v1::ReportObservationsRequest::kSequenceFieldNumber, kNumberKind)) ||
      !in.ReadVarint64(&number)) {
    return 0;
  }
  return static_cast<int64_t>(number);
}

}  // namespace cox::service
