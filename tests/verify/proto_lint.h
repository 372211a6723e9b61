// The rules of the API that a compiler of protos does not hold: those of buf's STANDARD set that
// apply here, and the project's own about comments, units and pages. Not a judge of compatibility
// with an earlier release. Pure functions; any thread.
#ifndef COX_TESTS_VERIFY_PROTO_LINT_H_
#define COX_TESTS_VERIFY_PROTO_LINT_H_

#include <google/protobuf/descriptor.h>

#include <string>
#include <vector>

namespace cox::verify {

// What is wrong with one file of the API, a line each: "<full name>: <rule>". Empty: nothing. The
// descriptors must have been built with source information, or every comment is missing.
std::vector<std::string> LintFile(const google::protobuf::FileDescriptor& file);

}  // namespace cox::verify

#endif  // COX_TESTS_VERIFY_PROTO_LINT_H_
