#include "cli/files/machine_toml.h"

#include <cox/v1/machine.pb.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cox::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr char kGood[] =
    "[machine]\n"
    "name = \"cluster\"\n"
    "nodes = 64\n"
    "cores_per_node = 48\n"
    "[machine.topology]\n"
    "kind = \"torus\"\n"
    "dims = [4, 4, 4]\n"
    "[[profile.parameter]]\n"
    "model = \"hockney\"\n"
    "level = \"network\"\n"
    "name = \"alpha\"\n"
    "value = 1.5e-6\n"
    "unit = \"s\"\n"
    "stderr = 2e-8\n"
    "source = \"a \\\"paper\\\"\"\n"
    "[[profile.parameter]]\n"
    "model = \"hockney\"\n"
    "level = \"node\"\n"
    "name = \"beta\"\n"
    "value = 1\n"
    "above = 40\n"
    "relation = \"<=\"\n";

std::string Rule(const std::string& text) {
  v1::Machine machine;
  v1::Profile profile;
  const absl::Status status = ReadMachineToml(text, "m.toml", machine, profile);
  return status.ok() ? "accepted" : std::string(status.message());
}

TEST(MachineTomlTest, ReadsMachineAndParameters) {
  v1::Machine machine;
  v1::Profile profile;
  ASSERT_TRUE(ReadMachineToml(kGood, "m.toml", machine, profile).ok());
  EXPECT_EQ(machine.name(), "machines/cluster");
  EXPECT_EQ(machine.nodes(), 64);
  EXPECT_EQ(machine.topology().dims_size(), 3);
  ASSERT_EQ(profile.parameters_size(), 2);
  EXPECT_EQ(profile.parameters(0).value(), 1.5e-6);
  EXPECT_EQ(profile.parameters(0).source(), "a \"paper\"");
  EXPECT_EQ(profile.parameters(1).value(), 1) << "an integer is a number, too";
  EXPECT_EQ(profile.parameters(0).above(), 0);
  EXPECT_EQ(profile.parameters(0).relation(), "");
  EXPECT_EQ(profile.parameters(1).above(), 40);
  EXPECT_EQ(profile.parameters(1).relation(), "<=");
}

TEST(MachineTomlTest, WhatIsWrittenReadsBack) {
  v1::Machine machine;
  v1::Profile profile;
  ASSERT_TRUE(ReadMachineToml(kGood, "m.toml", machine, profile).ok());
  profile.set_note("a note\nwith a line break");
  v1::Machine machine_again;
  v1::Profile profile_again;
  const std::string text = WriteMachineToml(machine, profile);
  ASSERT_TRUE(ReadMachineToml(text, "m.toml", machine_again, profile_again).ok()) << text;
  EXPECT_EQ(machine_again.SerializeAsString(), machine.SerializeAsString());
  profile.clear_note();
  EXPECT_EQ(profile_again.SerializeAsString(), profile.SerializeAsString());
}

TEST(MachineTomlTest, NamesLineKeyAndRule) {
  const std::string machine = "[machine]\nname = \"m\"\nnodes = 1\ncores_per_node = 1\n";
  EXPECT_EQ(Rule(machine), "accepted");
  EXPECT_THAT(Rule(""), HasSubstr("machine: is missing"));
  EXPECT_THAT(Rule("[machine\n"), StartsWith("m.toml:1: "));
  EXPECT_THAT(Rule("[machine]\nname = \"m\"\nnodes = 1\n"),
              HasSubstr("machine.cores_per_node: is missing"));
  EXPECT_THAT(Rule("[machine]\nname = \"m\"\nnodes = 0\ncores_per_node = 1\n"),
              StartsWith("m.toml:3: machine.nodes: must be an integer within 1.."));
  EXPECT_THAT(Rule("[machine]\nname = \"m\"\nnodes = 1.5\ncores_per_node = 1\n"),
              StartsWith("m.toml:3: machine.nodes:"));
  EXPECT_THAT(Rule("[machine]\nname = \"M x\"\nnodes = 1\ncores_per_node = 1\n"),
              StartsWith("m.toml:2: machine.name: is 'M x'"));
  EXPECT_THAT(Rule(machine + "color = 1\n"), StartsWith("m.toml:5: machine.color: is not known"));
  EXPECT_THAT(Rule(machine + "[machine.topology]\nkind = \"ring\"\n"),
              StartsWith("m.toml:6: machine.topology.kind: must be one of crossbar"));
  EXPECT_THAT(Rule(machine + "topology = 3\n"), HasSubstr("machine.topology: must be a table"));
  EXPECT_THAT(Rule(machine + "[machine.topology]\nkind = \"mesh\"\ndims = [0]\n"),
              StartsWith("m.toml:7: machine.topology.dims:"));
  EXPECT_THAT(Rule(machine + "[profile]\nparameter = 3\n"), HasSubstr("must be tables"));
  const std::string parameter =
      machine + "[[profile.parameter]]\nmodel = \"hockney\"\nname = \"alpha\"\n";
  EXPECT_THAT(
      Rule(parameter + "level = \"rack\"\nvalue = 1\n"),
      StartsWith("m.toml:8: profile.parameter.level: must be self, node, socket or network"));
  EXPECT_THAT(Rule(parameter + "level = \"node\"\nvalue = nan\n"),
              StartsWith("m.toml:9: profile.parameter.value: must be a finite number"));
  EXPECT_THAT(Rule(parameter + "level = \"node\"\nvalue = -1\n"), HasSubstr("finite number >= 0"));
  EXPECT_THAT(Rule(parameter + "level = \"node\"\n"),
              HasSubstr("profile.parameter.value: is missing"));
}

}  // namespace
}  // namespace cox::cli
