// The pure parts of the protocol: paths, encodings, envelopes, timeouts.
#include "gateway/connect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cox/v1/advice.pb.h"
#include "cox/v1/machine.pb.h"
#include "domain/errors.h"
#include "gateway/codec.h"
#include "gateway/connect_envelope.h"
#include "gateway/method.h"

namespace cox::gateway {
namespace {

using std::chrono::milliseconds;

const google::protobuf::Descriptor& Question() { return *v1::RecommendRequest::descriptor(); }

TEST(Method, IsFoundByItsPath) {
  // Whoever serves methods has them compiled in; here a use of the messages does it.
  const v1::RecommendRequest linked;
  const auto* method = FindMethod("/cox.v1.AdviceService/Recommend");
  ASSERT_NE(method, nullptr);
  EXPECT_EQ(method->full_name(), "cox.v1.AdviceService.Recommend");
  EXPECT_EQ(PathOf(*method), "/cox.v1.AdviceService/Recommend");
  for (const char* path :
       {"", "/", "/cox.v1.AdviceService", "/cox.v1.AdviceService/", "/cox.v1.AdviceService/Nothing",
        "cox.v1.AdviceService/Recommend", "/cox.v1.AdviceService/Recommend/", "//Recommend",
        "/cox.v1.RecommendRequest/Recommend"}) {
    EXPECT_EQ(FindMethod(path), nullptr) << path;
  }
}

TEST(ContentTypes, AreFourAndTheirNamesReadBack) {
  for (const char* name : {"application/json", "application/proto", "application/connect+json",
                           "application/connect+proto"}) {
    const auto type = ParseContentType(name);
    ASSERT_TRUE(type.has_value()) << name;
    EXPECT_EQ(type->Name(), name);
  }
  EXPECT_TRUE(ParseContentType("Application/JSON; charset=UTF-8").has_value());
  EXPECT_TRUE(ParseContentType("application/connect+proto")->in_envelopes);
  for (const char* other :
       {"", "text/plain", "application/json; charset=latin1", "application/x-www-form-urlencoded",
        "application/jsonx", "multipart/form-data; boundary=x", "application/grpc"}) {
    EXPECT_FALSE(ParseContentType(other).has_value()) << other;
  }
}

TEST(ReadMessage, TakesJsonWithEitherSpellingOfNames) {
  for (const char* json :
       {R"({"machine":"m","blockBytes":"1024"})", R"({"machine":"m","block_bytes":1024})"}) {
    const auto wire = ReadMessage(Encoding::kJson, Question(), json);
    ASSERT_TRUE(wire.ok()) << wire.status();
    v1::RecommendRequest request;
    ASSERT_TRUE(request.ParseFromString(*wire));
    EXPECT_EQ(request.machine(), "m");
    EXPECT_EQ(request.block_bytes(), 1024);
  }
}

TEST(ReadMessage, NamesTheFieldAtFault) {
  const auto number = ReadMessage(Encoding::kJson, Question(), R"({"block_bytes":"many"})");
  EXPECT_EQ(number.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(domain::FieldOf(number.status()), "block_bytes") << number.status();
  const auto unknown = ReadMessage(Encoding::kJson, Question(), R"({"blok_bytes":1})");
  EXPECT_EQ(unknown.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(std::string(unknown.status().message()).find("blok_bytes"), std::string::npos)
      << unknown.status();
}

TEST(ReadMessage, RefusesWhatIsNoMessage) {
  for (const char* text : {"", "{", "[1]", "{\"machine\":", "nonsense", "{} {}"}) {
    EXPECT_EQ(ReadMessage(Encoding::kJson, Question(), text).status().code(),
              absl::StatusCode::kInvalidArgument)
        << text;
  }
  EXPECT_EQ(ReadMessage(Encoding::kProto, Question(), "\xff\xff").status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(ReadMessage(Encoding::kProto, Question(), "").ok());
}

// A stack that overflows would end the daemon.
TEST(ReadMessage, RefusesDeepNesting) {
  std::string deep;
  for (int i = 0; i < 1'000'000; ++i) deep += "{\"requests\":[";
  EXPECT_FALSE(ReadMessage(Encoding::kJson, *v1::BatchRecommendRequest::descriptor(), deep).ok());
  EXPECT_FALSE(ReadMessage(Encoding::kJson, Question(), std::string(1'000'000, '[')).ok());
}

TEST(WriteMessage, WritesJsonOrLeavesTheBytes) {
  v1::Machine machine;
  machine.set_name("machines/a");
  machine.set_cores_per_node(8);
  const std::string wire = machine.SerializeAsString();
  EXPECT_EQ(*WriteMessage(Encoding::kProto, *v1::Machine::descriptor(), wire), wire);
  EXPECT_EQ(*WriteMessage(Encoding::kJson, *v1::Machine::descriptor(), wire),
            R"({"name":"machines/a","coresPerNode":"8"})");
}

TEST(Envelope, IsFlagsLengthAndMessage) {
  EXPECT_EQ(Envelope(kEndOfStreamFlag, "abc"), std::string("\2\0\0\0\3abc", 8));
  const std::string large = Envelope(kMessageFlags, std::string(0x01020304, 'x'));
  EXPECT_EQ(large.substr(0, 5), std::string("\0\1\2\3\4", 5));
}

TEST(Envelope, OpensAllOfABody) {
  const std::string body =
      Envelope(kMessageFlags, "abc") + Envelope(kMessageFlags, "") + Envelope(kMessageFlags, "d");
  const auto opened = OpenEnvelopes(body, 3);
  ASSERT_TRUE(opened.ok());
  EXPECT_THAT(*opened, testing::ElementsAre("abc", "", "d"));
}

TEST(Envelope, RefusesWhatIsNoneAndWhatIsTooMany) {
  const std::string one = Envelope(kMessageFlags, "abc");
  for (const std::string& body :
       {std::string(), one.substr(0, 4), one.substr(0, 7), one + "x", one + one,
        Envelope(kEndOfStreamFlag, "{}"), std::string("\0\xff\xff\xff\xff", 5)}) {
    EXPECT_EQ(OpenEnvelopes(body, 1).status().code(), absl::StatusCode::kInvalidArgument);
  }
  EXPECT_EQ(OpenEnvelopes(Envelope(kCompressedFlag, "abc"), 1).status().code(),
            absl::StatusCode::kUnimplemented);
}

TEST(CallGate, LetsNothingPassOnceItIsClosed) {
  CallGate gate;
  EXPECT_TRUE(gate.Enter());
  gate.Close(milliseconds(1));  // gives up on the one inside
  EXPECT_TRUE(gate.closed());
  EXPECT_FALSE(gate.Enter());
  gate.Leave();
  gate.Close(std::chrono::hours(1));
}

TEST(Timeout, IsAMinuteUnlessSaidAndAtMostAnHour) {
  EXPECT_EQ(*ParseTimeout(""), milliseconds(60'000));
  EXPECT_EQ(*ParseTimeout("0"), milliseconds(0));
  EXPECT_EQ(*ParseTimeout("250"), milliseconds(250));
  EXPECT_EQ(*ParseTimeout("9999999999"), milliseconds(3'600'000));
  for (const char* nonsense : {"-1", "1.5", "10000000000", "1s", " 1", "+1"}) {
    EXPECT_EQ(ParseTimeout(nonsense).status().code(), absl::StatusCode::kInvalidArgument)
        << nonsense;
  }
}

}  // namespace
}  // namespace cox::gateway
