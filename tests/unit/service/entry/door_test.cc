#include "service/entry/door.h"

#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "cox/v1/access.grpc.pb.h"
#include "cox/v1/advice.grpc.pb.h"
#include "cox/v1/calibration.grpc.pb.h"
#include "cox/v1/decision.pb.h"
#include "cox/v1/history.grpc.pb.h"
#include "cox/v1/machine.grpc.pb.h"
#include "cox/v1/model.grpc.pb.h"
#include "cox/v1/observation.grpc.pb.h"
#include "cox/v1/prediction.pb.h"
#include "cox/v1/store.grpc.pb.h"

namespace cox::service {
namespace {

// A file's services are known when one of its messages is.
const google::protobuf::FileDescriptor* const kFiles[] = {
    v1::Token::descriptor()->file(),           v1::RecommendRequest::descriptor()->file(),
    v1::Sample::descriptor()->file(),          v1::Machine::descriptor()->file(),
    v1::Model::descriptor()->file(),           v1::Observation::descriptor()->file(),
    v1::ListJobsRequest::descriptor()->file(), v1::GetStoreStatusRequest::descriptor()->file(),
    v1::Decision::descriptor()->file(),        v1::WhatIf::descriptor()->file()};

// Every file of the API, by the folder that has them.
std::set<std::string> FilesOfTheApi() {
  std::set<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(COX_SOURCE_DIR "/proto/cox/v1")) {
    files.insert(absl::StrCat("cox/v1/", entry.path().filename().string()));
  }
  return files;
}

TEST(Door, EveryMethodOfTheApiHasARowAndEveryRowAMethod) {
  std::set<std::string> files;
  std::set<std::string> described;
  for (const google::protobuf::FileDescriptor* const file : kFiles) {
    files.insert(file->name());
    for (int i = 0; i < file->service_count(); ++i) {
      const google::protobuf::ServiceDescriptor& service = *file->service(i);
      for (int j = 0; j < service.method_count(); ++j) {
        described.insert(absl::StrCat(service.full_name(), "/", service.method(j)->name()));
      }
    }
  }
  EXPECT_EQ(files, FilesOfTheApi()) << "add a message of the new file above";
  std::set<std::string> in_table;
  for (const access::Rule& rule : access::Rules()) in_table.emplace(rule.method);
  EXPECT_EQ(described, in_table);
}

}  // namespace
}  // namespace cox::service
