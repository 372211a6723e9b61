// The file of the collectives library: which parameters, of which pieces.
#include "cli/files/compact_profile.h"

#include <cox/v1/machine.pb.h>

#include "absl/status/status.h"
#include "gtest/gtest.h"

namespace cox::cli {
namespace {

class CompactProfileTest : public ::testing::Test {
 protected:
  CompactProfileTest() { profile_.set_name("machines/m/profiles/3"); }

  v1::Parameter* Add(const char* model, const char* level, const char* name, double value,
                     double above = 0) {
    v1::Parameter* parameter = profile_.add_parameters();
    parameter->set_model(model);
    parameter->set_level(level);
    parameter->set_name(name);
    parameter->set_value(value);
    parameter->set_above(above);
    return parameter;
  }

  v1::Profile profile_;
};

TEST_F(CompactProfileTest, NeedsAlphaAndBeta) {
  Add("hockney", "network", "alpha", 1e-6);
  Add("loggp", "network", "beta", 1e-9);
  EXPECT_EQ(CompactProfile(profile_).status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(CompactProfileTest, TakesTheShortestStartUpAndTheLongestBytes) {
  Add("hockney", "network", "alpha", 2e-6);
  Add("hockney", "network", "alpha", 9e-6, 65536);
  Add("hockney", "network", "beta", 4e-9);
  Add("hockney", "network", "beta", 1e-9, 65536);
  Add("hockney", "network", "alpha_cpu", 5e-7);
  Add("hockney", "node", "alpha", 1);
  Add("hockney", "node", "beta", 1);
  EXPECT_EQ(*CompactProfile(profile_),
            "# machines/m/profiles/3, messages on level network\n"
            "alpha_s 2e-06\nbeta_s_per_byte 1e-09\nalpha_cpu_s 5e-07\n");
}

TEST_F(CompactProfileTest, OneNodeAloneHasItsOwnLevel) {
  Add("hockney", "network", "alpha", 1)->set_relation("<=");
  Add("hockney", "network", "beta", 1);
  Add("hockney", "node", "alpha", 3e-7);
  Add("hockney", "node", "beta", 2e-10);
  EXPECT_EQ(*CompactProfile(profile_),
            "# machines/m/profiles/3, messages on level node\n"
            "alpha_s 3e-07\nbeta_s_per_byte 2e-10\n");
}

TEST_F(CompactProfileTest, MessagesFollowEachOtherByTheGapOrWhatBothEndsSpend) {
  Add("hockney", "network", "alpha", 4e-5);
  Add("hockney", "network", "beta", 1e-9);
  Add("loggp", "node", "o", 9e-6);
  EXPECT_EQ(CompactProfile(profile_)->find("gap_s"), std::string::npos);
  Add("loggp", "network", "o", 1e-6);
  EXPECT_NE(CompactProfile(profile_)->find("\ngap_s 2e-06\n"), std::string::npos);
  Add("loggp", "network", "g", 3e-6)->set_above(0);
  EXPECT_NE(CompactProfile(profile_)->find("\ngap_s 3e-06\n"), std::string::npos);
  profile_.mutable_parameters(3)->set_value(2e-6);
  EXPECT_NE(CompactProfile(profile_)->find("\ngap_s 4e-06\n"), std::string::npos);
}

TEST_F(CompactProfileTest, GapsAreThoseOfFullPackets) {
  Add("hockney", "network", "alpha", 1e-6);
  Add("hockney", "network", "beta", 1e-9);
  Add("cluster", "network", "packet", 1500);
  Add("cluster", "network", "g_s", 6.73e-6);
  Add("cluster", "network", "g_s", 3e-6, 40);
  Add("cluster", "network", "g_s_byte", 8e-8);
  Add("cluster", "network", "g_r", 2e-6);
  EXPECT_EQ(CompactProfile(profile_)->find("packet_bytes"), std::string::npos) << "no buffer";
  Add("cluster", "network", "B_L", 128);
  EXPECT_NE(
      CompactProfile(profile_)->find(
          "packet_bytes 1500\nbuffer_packets 128\nsend_gap_s 0.000123\nreceive_gap_s 2e-06\n"),
      std::string::npos)
      << *CompactProfile(profile_);
}

}  // namespace
}  // namespace cox::cli
