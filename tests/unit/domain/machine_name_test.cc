#include "domain/reports/machine_name.h"

#include <gtest/gtest.h>

#include <string>

namespace cox::domain {
namespace {

std::string Machine(const char* host, int size = kMachineNameSize) {
  char machine[kMachineNameSize];
  MachineFromHost(host, machine, size);
  return machine;
}

TEST(MachineName, NodesOfAMachineShareIt) {
  EXPECT_EQ(Machine("node017"), "node");
  EXPECT_EQ(Machine("c12-3.cluster.example"), "c");
  EXPECT_EQ(Machine("Login_A"), "login_a");
  EXPECT_EQ(Machine("rack two"), "rack-two");
}

TEST(MachineName, IsNeverEmpty) {
  EXPECT_EQ(Machine("10"), "10");
  EXPECT_EQ(Machine(""), "localhost");
  EXPECT_EQ(Machine("..."), "localhost");
  EXPECT_EQ(Machine("---"), "localhost");
  EXPECT_EQ(Machine("abcdefghijkl", 5), "abcd");
}

TEST(MachineName, OfAClusterBeginsWithALetterOrADigit) {
  const auto name = [](const char* cluster) {
    char machine[kMachineNameSize];
    MachineFromCluster(cluster, machine, sizeof(machine));
    return std::string(machine);
  };
  EXPECT_EQ(name("-My Cluster.2"), "my-cluster.2");
  EXPECT_EQ(name("._-"), "");
  EXPECT_EQ(name(""), "");
  EXPECT_EQ(name(std::string(100, 'x').c_str()), std::string(63, 'x'));
}

}  // namespace
}  // namespace cox::domain
