// The dashboard's files and the page without them.
#include "gateway/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace cox::gateway {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr DashboardFile kFiles[] = {
    {"/", "text/html; charset=utf-8", "abc", false, "<!doctype html>", ""},
    {"/assets/a-1.js", "text/javascript", "def", true, "let a = 1;", "compressed"},
};

HttpRequest GetPage(absl::string_view path) {
  HttpRequest request;
  request.method = "GET";
  request.path = path;
  return request;
}

HttpRequest WithHeader(HttpRequest request, absl::string_view name, absl::string_view value) {
  request.headers.emplace_back(name, value);
  return request;
}

std::string HeaderOf(const HttpResponse& response, absl::string_view name) {
  for (const auto& [key, value] : response.headers) {
    if (key == name) return value;
  }
  return "";
}

TEST(Page, WithoutADashboardSaysWhatIsServedAndHowToGetOne) {
  const auto page = AnswerPage(GetPage("/"), {});
  ASSERT_TRUE(page.has_value());
  EXPECT_EQ(page->status, 200);
  EXPECT_THAT(page->body, HasSubstr("/metrics"));
  EXPECT_THAT(page->body, HasSubstr("npm ci"));
  EXPECT_FALSE(AnswerPage(GetPage("/assets/a-1.js"), {}).has_value());
}

TEST(Page, IsSentOnceToAClientThatKeepsIt) {
  const auto first = AnswerPage(GetPage("/"), kFiles);
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(first->body, "<!doctype html>");
  EXPECT_EQ(HeaderOf(*first, "Cache-Control"), "no-cache");
  const std::string tag = HeaderOf(*first, "ETag");
  const auto second = AnswerPage(WithHeader(GetPage("/"), "If-None-Match", tag), kFiles);
  EXPECT_EQ(second->status, 304);
  EXPECT_EQ(second->body, "");
  EXPECT_EQ(AnswerPage(WithHeader(GetPage("/"), "If-None-Match", "\"other\""), kFiles)->status,
            200);
}

TEST(Page, IsCompressedForAClientThatAcceptsIt) {
  const auto plain = AnswerPage(GetPage("/assets/a-1.js"), kFiles);
  EXPECT_EQ(plain->body, "let a = 1;");
  EXPECT_EQ(HeaderOf(*plain, "Content-Encoding"), "");
  EXPECT_EQ(plain->content_type, "text/javascript");
  EXPECT_THAT(HeaderOf(*plain, "Cache-Control"), HasSubstr("immutable"));
  const auto gzip = AnswerPage(
      WithHeader(GetPage("/assets/a-1.js"), kAcceptedCodings, "gzip, deflate, br"), kFiles);
  EXPECT_EQ(gzip->body, "compressed");
  EXPECT_EQ(HeaderOf(*gzip, "Content-Encoding"), "gzip");
  EXPECT_NE(HeaderOf(*gzip, "ETag"), HeaderOf(*plain, "ETag"));
  EXPECT_EQ(HeaderOf(*gzip, "Vary"), "Accept-Encoding");
  // A file that is not kept compressed is sent as it is.
  const auto html = AnswerPage(WithHeader(GetPage("/"), kAcceptedCodings, "gzip"), kFiles);
  EXPECT_EQ(html->body, "<!doctype html>");
  EXPECT_EQ(HeaderOf(*html, "Content-Encoding"), "");
}

TEST(Page, IsNotCompressedForAClientThatRefusesIt) {
  const auto body = [](absl::string_view accepted) {
    return AnswerPage(WithHeader(GetPage("/assets/a-1.js"), kAcceptedCodings, accepted), kFiles)
        ->body;
  };
  for (const char* refused : {"gzip;q=0", "br, gzip; q=0.000", "x-gzipped", "br"}) {
    EXPECT_EQ(body(refused), "let a = 1;") << refused;
  }
  for (const char* accepted : {"gzip;q=0.5", "br;q=0,GZIP ;q=1", "deflate, gzip"}) {
    EXPECT_EQ(body(accepted), "compressed") << accepted;
  }
}

TEST(Page, AllowsNothingFromElsewhereAndNothingUnsafe) {
  const std::string policy = HeaderOf(*AnswerPage(GetPage("/"), kFiles), "Content-Security-Policy");
  EXPECT_THAT(policy, HasSubstr("default-src 'none'"));
  EXPECT_THAT(policy, HasSubstr("frame-ancestors 'none'"));
  EXPECT_THAT(policy, Not(HasSubstr("unsafe")));
  EXPECT_THAT(policy, Not(HasSubstr("http")));
}

TEST(Page, IsOnlyAtItsOwnPath) {
  for (const char* path : {"/index.html", "//", "/assets/", "/assets/../", "/assets/A-1.js", ""}) {
    EXPECT_FALSE(AnswerPage(GetPage(path), kFiles).has_value()) << path;
  }
}

}  // namespace
}  // namespace cox::gateway
