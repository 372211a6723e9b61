// A message of gRPC as bytes that nobody has parsed.
#ifndef COX_TESTS_RECORDED_BYTES_H_
#define COX_TESTS_RECORDED_BYTES_H_

#include <grpcpp/support/byte_buffer.h>

#include <string>
#include <vector>

namespace cox::recorded {

inline std::string TextOf(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  std::string text;
  if (!buffer.Dump(&slices).ok()) return text;
  for (const grpc::Slice& slice : slices) {
    text.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  return text;
}

inline grpc::ByteBuffer BufferOf(const std::string& text) {
  const grpc::Slice slice(text);
  return {&slice, 1};
}

}  // namespace cox::recorded

#endif  // COX_TESTS_RECORDED_BYTES_H_
