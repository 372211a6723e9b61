#include "cli/output/json_output.h"

#include <cox/v1/advice.pb.h>
#include <cox/v1/machine.pb.h>
#include <cox/v1/observation.pb.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace cox::cli {
namespace {

using ::testing::HasSubstr;

TEST(JsonOutputTest, UsesTheNamesAndNumbersOfTheApi) {
  v1::Machine machine;
  machine.set_name("machines/m");
  machine.set_nodes(int64_t{1} << 40);
  machine.mutable_topology()->set_kind("torus");
  machine.mutable_topology()->add_dims(4);
  machine.mutable_topology()->add_dims(2);
  machine.mutable_create_time()->set_seconds(1795161600);
  EXPECT_EQ(ToJson(machine),
            R"({"name":"machines/m","nodes":1099511627776,"cores_per_node":0,)"
            R"("topology":{"kind":"torus","dims":[4,2]},"create_time":"2026-11-20T08:00:00Z",)"
            R"("pinned_revision":0,"provenance":"PROVENANCE_UNSPECIFIED"})");
}

TEST(JsonOutputTest, AbsentOptionalFieldsAreNull) {
  v1::RecommendResponse response;
  EXPECT_THAT(ToJson(response), HasSubstr(R"("native_id":null)"));
  EXPECT_THAT(ToJson(response), HasSubstr(R"("interval_s":[])"));
  response.set_native_id(0);
  EXPECT_THAT(ToJson(response), HasSubstr(R"("native_id":0)"));
}

TEST(JsonOutputTest, NumbersThatJsonLacksAreNull) {
  v1::Parameter parameter;
  parameter.set_value(std::numeric_limits<double>::infinity());
  parameter.set_stderr(std::numeric_limits<double>::quiet_NaN());
  EXPECT_THAT(ToJson(parameter), HasSubstr(R"("value":null,"stderr":null)"));
}

TEST(JsonOutputTest, EnumsAreTheirNames) {
  v1::Profile profile;
  profile.set_provenance(v1::PROVENANCE_CALIBRATED);
  EXPECT_THAT(ToJson(profile), HasSubstr(R"("provenance":"PROVENANCE_CALIBRATED")"));
}

TEST(JsonOutputTest, EscapesText) {
  EXPECT_EQ(JsonString("a\"b\\c\nd\te\x01"), R"("a\"b\\c\nd\te\u0001")");
  EXPECT_EQ(JsonString("µs"), "\"µs\"");
  EXPECT_EQ(JsonString("\xC3("), "\"\uFFFD(\"") << "a cut sequence";
  EXPECT_EQ(JsonString("\xED\xA0\x80"), "\"\uFFFD\uFFFD\uFFFD\"") << "a surrogate";
  EXPECT_EQ(JsonString("\xF5"), "\"\uFFFD\"");
}

TEST(JsonOutputTest, MergedTheAnswersMemberWins) {
  v1::ReportObservationsRequest first;
  first.set_job("j");
  first.set_sequence(3);
  v1::StreamObservationsResponse second;
  second.set_sequence(4);
  std::string out;
  AppendMergedJson(first, second, out);
  EXPECT_THAT(out, HasSubstr(R"("job":"j")"));
  EXPECT_THAT(out, HasSubstr(R"("sequence":4)"));
  EXPECT_THAT(out, ::testing::Not(HasSubstr(R"("sequence":3)")));
}

}  // namespace
}  // namespace cox::cli
