// Checks that the API keeps its rules, and that the rules find faults.
#include "proto_lint.h"

#include <gmock/gmock.h>
#include <google/protobuf/compiler/parser.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>

namespace cox::verify {
namespace {

using google::protobuf::DescriptorPool;
using google::protobuf::FileDescriptor;
using google::protobuf::FileDescriptorProto;
using google::protobuf::FileDescriptorSet;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ApiTest : public ::testing::Test {
 protected:
  void SetUp() override {
    FileDescriptorSet set;
    std::ifstream in(COX_PROTOSET, std::ios::binary);
    ASSERT_TRUE(set.ParseFromIstream(&in)) << "cannot read " << COX_PROTOSET;
    for (const FileDescriptorProto& proto : set.file()) {
      const FileDescriptor* file = pool_.BuildFile(proto);
      ASSERT_NE(file, nullptr) << proto.name();
      if (file->package().rfind("cox.", 0) == 0) files_.push_back(file);
    }
    ASSERT_FALSE(files_.empty());
  }

  DescriptorPool pool_;
  std::vector<const FileDescriptor*> files_;
};

TEST_F(ApiTest, KeepsTheRules) {
  for (const FileDescriptor* file : files_) EXPECT_THAT(LintFile(*file), IsEmpty());
}

TEST_F(ApiTest, NoTwoRpcsShareARequestOrAResponse) {
  std::map<std::string, std::set<std::string>> users;
  for (const FileDescriptor* file : files_) {
    for (int s = 0; s < file->service_count(); ++s) {
      for (int m = 0; m < file->service(s)->method_count(); ++m) {
        const auto* method = file->service(s)->method(m);
        for (const auto* type : {method->input_type(), method->output_type()}) {
          const std::string& name = type->name();
          if (name.find("Request") != std::string::npos ||
              name.find("Response") != std::string::npos) {
            users[type->full_name()].insert(method->full_name());
          }
        }
      }
    }
  }
  for (const auto& [type, methods] : users) EXPECT_EQ(methods.size(), 1u) << type;
}

TEST_F(ApiTest, HasTheServicesOfTheDesign) {
  std::set<std::string> services;
  for (const FileDescriptor* file : files_) {
    for (int s = 0; s < file->service_count(); ++s) services.insert(file->service(s)->name());
  }
  for (const char* name : {"MachineService", "ProfileService", "CalibrationService", "ModelService",
                           "AdviceService", "ObservationService", "StoreService"}) {
    EXPECT_THAT(services, Contains(name));
  }
}

// Lints a file that is written in the test; its name decides its folder.
class RuleTest : public ::testing::Test {
 protected:
  std::vector<std::string> Lint(const std::string& text,
                                const std::string& name = "cox/v1/things.proto") {
    google::protobuf::io::ArrayInputStream in(text.data(), static_cast<int>(text.size()));
    google::protobuf::io::Tokenizer tokens(&in, nullptr);
    FileDescriptorProto proto;
    google::protobuf::compiler::Parser parser;
    EXPECT_TRUE(parser.Parse(&tokens, &proto)) << text;
    proto.set_name(name);
    const FileDescriptor* file = pool_.BuildFile(proto);
    if (file == nullptr) {
      ADD_FAILURE() << "not a valid proto: " << text;
      return {};
    }
    return LintFile(*file);
  }

  // A message that keeps every rule but has this field.
  std::vector<std::string> LintField(const std::string& field) {
    return Lint(
        "syntax = \"proto3\"; package cox.v1;\n// A thing.\nmessage Thing {\n"
        "  // A comment.\n" +
        field + "\n}");
  }

  DescriptorPool pool_;
};

TEST_F(RuleTest, NothingToSayAboutAGoodField) {
  EXPECT_THAT(LintField("int64 block_bytes = 1;"), IsEmpty());
}

TEST_F(RuleTest, FieldNameIsSnakeCase) {
  EXPECT_THAT(LintField("int64 blockBytes = 1;"),
              ElementsAre("cox.v1.Thing.blockBytes: a field's name must be snake_case"));
}

TEST_F(RuleTest, IntegersAreSigned) {
  EXPECT_THAT(LintField("uint64 block_bytes = 1;"),
              ElementsAre("cox.v1.Thing.block_bytes: integers are signed"));
}

TEST_F(RuleTest, QuantityHasAUnit) {
  EXPECT_THAT(
      LintField("double rate = 1;"),
      ElementsAre(
          "cox.v1.Thing.rate: a quantity's name must end in its unit (_s, _bytes, _bps, ...)"));
}

TEST_F(RuleTest, DurationIsInSeconds) {
  EXPECT_THAT(LintField("int64 timeout_ms = 1;"),
              ElementsAre("cox.v1.Thing.timeout_ms: a duration is in seconds and its name ends in "
                          "_s"));
}

TEST_F(RuleTest, EverythingHasAComment) {
  EXPECT_THAT(
      Lint("syntax = \"proto3\"; package cox.v1;\n\nmessage Thing {\n\n  bool good = 1;\n}\n\n"
           "enum Kind {\n\n  KIND_UNSPECIFIED = 0;\n}\n\n"
           "message GoRequest {}\n\nmessage GoResponse {}\n\n"
           "service ThingService {\n\n  rpc Go(GoRequest) returns (GoResponse);\n}"),
      ElementsAre("cox.v1.ThingService: needs a comment", "cox.v1.ThingService.Go: needs a comment",
                  "cox.v1.Thing: needs a comment", "cox.v1.Thing.good: needs a comment",
                  "cox.v1.GoRequest: needs a comment", "cox.v1.GoResponse: needs a comment",
                  "cox.v1.Kind: needs a comment", "cox.v1.KIND_UNSPECIFIED: needs a comment"));
}

TEST_F(RuleTest, EnumValuesCarryTheirEnumsName) {
  EXPECT_THAT(Lint("syntax = \"proto3\"; package cox.v1;\n// A kind.\nenum KindOf {\n"
                   "  // None.\n  UNKNOWN = 0;\n}"),
              ElementsAre("cox.v1.UNKNOWN: must begin with KIND_OF_",
                          "cox.v1.KindOf: its zero value must be KIND_OF_UNSPECIFIED"));
}

TEST_F(RuleTest, PackageIsItsFolderAndHasAVersion) {
  EXPECT_THAT(Lint("syntax = \"proto3\"; package cox;", "cox/v1/Things.proto"),
              ElementsAre("cox/v1/Things.proto: its package must end in a version: cox",
                          "cox/v1/Things.proto: its name must be in snake_case"));
  EXPECT_THAT(Lint("syntax = \"proto3\"; package cox.v2;", "cox/v1/others.proto"),
              ElementsAre("cox/v1/others.proto: must lie in cox/v2/"));
}

TEST_F(RuleTest, RpcHasItsOwnRequestAndResponse) {
  EXPECT_THAT(
      Lint("syntax = \"proto3\"; package cox.v1;\n"
           "// A pair.\nmessage Pair {\n  // One.\n  bool one = 1;\n}\n"
           "// Things.\nservice Things {\n  // Goes.\n  rpc Go(Pair) returns (Pair);\n}"),
      ElementsAre("cox.v1.Things: a service's name must be PascalCase and end in Service",
                  "cox.v1.Things.Go: must take GoRequest of its own file",
                  "cox.v1.Things.Go: must return GoResponse, a resource or google.protobuf.Empty"));
}

TEST_F(RuleTest, PageFieldsGoTogether) {
  EXPECT_THAT(
      Lint("syntax = \"proto3\"; package cox.v1;\n"
           "// Request.\nmessage ListRequest {\n  // How many.\n  int32 page_size = 1;\n}\n"
           "// Response.\nmessage ListResponse {\n  // Names.\n  repeated string names = 1;\n}\n"
           "// Things.\nservice ThingService {\n  // Lists.\n"
           "  rpc List(ListRequest) returns (ListResponse);\n}"),
      ElementsAre("cox.v1.ThingService.List: page_size, page_token and next_page_token go "
                  "together"));
}

}  // namespace
}  // namespace cox::verify
