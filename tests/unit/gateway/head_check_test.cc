#include "gateway/head_check.h"

#include <gtest/gtest.h>

#include <string>

namespace cox::gateway {
namespace {

constexpr int64_t kMaxBody = 1000;

HttpRequest Post() {
  return {.method = "POST",
          .path = "/cox.v1.AdviceService/Recommend",
          .headers = {{"Host", "127.0.0.1:7078"},
                      {"content-type", "application/json"},
                      {"Content-Length", "1000"}},
          .body = ""};
}

HttpRequest Get(absl::string_view host = "localhost") {
  return {.method = "GET", .path = "/metrics", .headers = {{"Host", host}}, .body = ""};
}

int Refused(const HttpRequest& request) {
  const auto refusal = CheckHead(request, kMaxBody);
  return refusal ? refusal->status : 0;
}

HttpRequest With(HttpRequest request, absl::string_view name, absl::string_view value) {
  for (auto& header : request.headers) {
    if (header.first == name) {
      header.second = value;
      return request;
    }
  }
  request.headers.emplace_back(name, value);
  return request;
}

TEST(CheckHead, LetsOrdinaryRequestsPass) {
  EXPECT_EQ(Refused(Post()), 0);
  EXPECT_EQ(Refused(Get()), 0);
  EXPECT_EQ(Refused(With(Get(), "Content-Length", "0")), 0);
  HttpRequest chunked = Post();
  chunked.headers.back() = {"Transfer-Encoding", "chunked"};
  EXPECT_EQ(Refused(chunked), 0);
  EXPECT_EQ(Refused(With(Post(), "Content-Encoding", "identity")), 0);
}

TEST(CheckHead, WantsALoopbackName) {
  for (const char* host : {"127.0.0.1", "127.0.0.1:80", "localhost:7078", "LocalHost:7078",
                           "LOCALHOST", "[::1]", "[::1]:7078"}) {
    EXPECT_EQ(Refused(Get(host)), 0) << host;
  }
  for (const char* host : {"", "example.org", "example.org:7078", "10.0.0.1", "localhost.evil",
                           "unix:x", "127.0.0.1.evil:1", "[::]"}) {
    EXPECT_EQ(Refused(Get(host)), 421) << host;
  }
  HttpRequest two = Get();
  two.headers.emplace_back("host", "localhost");
  EXPECT_EQ(Refused(two), 421);
}

TEST(CheckHead, TakesEveryNameOverTls) {
  HttpRequest request = Get("head.example:7078");
  request.is_encrypted = true;
  EXPECT_EQ(Refused(request), 0);
  request.headers.clear();
  EXPECT_EQ(Refused(request), 421) << "but it wants one";
}

TEST(CheckHead, BoundsTheBodyAndSaysTheBound) {
  const auto refusal = CheckHead(With(Post(), "Content-Length", "1001"), kMaxBody);
  ASSERT_TRUE(refusal.has_value());
  EXPECT_EQ(refusal->status, 413);
  EXPECT_NE(refusal->body.find("at most 1000 bytes"), std::string::npos) << refusal->body;
}

TEST(CheckHead, WantsOneLength) {
  for (const char* length : {"-1", "ten", "99999999999999999999", ""}) {
    EXPECT_EQ(Refused(With(Post(), "Content-Length", length)), 400) << length;
  }
  EXPECT_EQ(Refused(With(Post(), "Transfer-Encoding", "chunked")), 400);
  HttpRequest two = Post();
  two.headers.emplace_back("content-length", "3");
  EXPECT_EQ(Refused(two), 400);
  HttpRequest gzip = Post();
  gzip.headers.back() = {"Transfer-Encoding", "gzip, chunked"};
  EXPECT_EQ(Refused(gzip), 400);
}

TEST(CheckHead, WantsALengthWhereThereMayBeABody) {
  HttpRequest post = Post();
  post.headers.pop_back();
  EXPECT_EQ(Refused(post), 411);
  EXPECT_EQ(Refused(With(post, "Content-Length", "0")), 0);
}

TEST(CheckHead, WantsTokensAsNamesOfHeaders) {
  for (const char* name : {"Transfer-Encoding ", " X", "X\t", "a(b", "", "\xc3\xa9", "a\"b"}) {
    EXPECT_EQ(Refused(With(Get(), name, "chunked")), 400) << name;
  }
  EXPECT_EQ(Refused(With(Get(), "X-1!#$%&'*+-.^_`|~", "any")), 0);
}

TEST(CheckHead, RefusesWhatItCannotRead) {
  HttpRequest put = Post();
  put.method = "PUT";
  EXPECT_EQ(Refused(put), 405);
  EXPECT_EQ(Refused(With(Post(), "content-type", "text/plain")), 415);
  EXPECT_EQ(Refused(With(Post(), "Content-Encoding", "gzip")), 415);
  EXPECT_EQ(Refused(With(Get(), "Content-Length", "1")), 400);
  const std::string path(300, 'x');
  HttpRequest far = Get();
  far.path = path;
  EXPECT_EQ(Refused(far), 414);
}

}  // namespace
}  // namespace cox::gateway
