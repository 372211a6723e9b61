#include "model/models/c3_units.h"

#include <limits>
#include <vector>

#include "domain/errors.h"
#include "gtest/gtest.h"

namespace cox::model {
namespace {

constexpr C3Protocol kProtocols[] = {
    C3Protocol::kStoreForwardNonblocking, C3Protocol::kWormholeNonblocking,
    C3Protocol::kStoreForwardBlocking, C3Protocol::kWormholeBlocking};
constexpr C3Machine kMesh = {256, 512, 8, 10, 16};

TEST(C3Protocols, NamesGoBothWays) {
  for (const C3Protocol protocol : kProtocols) {
    EXPECT_EQ(*ParseC3Protocol(C3ProtocolName(protocol)), protocol);
  }
  EXPECT_EQ(domain::FieldOf(ParseC3Protocol("wh").status()), "protocol");
}

TEST(C3Units, RoundsPacketsUp) {
  EXPECT_EQ(PacketsOf(0, 512), 0);
  EXPECT_EQ(PacketsOf(1, 512), 1);
  EXPECT_EQ(PacketsOf(512, 512), 1);
  EXPECT_EQ(PacketsOf(513, 512), 2);
  EXPECT_EQ(ComputationUnits(0, 512), 0);
  EXPECT_EQ(ComputationUnits(513, 512), 2);
}

// Section 2.2, one message of k = 3 packets, s = 8, h = 10: s + k + h, 2 (s + h) + k + h,
// 2 (s + h) + k h, and for the receiver s + 2 h + k, s + h + k h.
TEST(C3Units, AgreesWithTheFormulasForOneMessage) {
  const std::vector<double> one = {1500};
  EXPECT_EQ(*SendUnitsOf(C3Protocol::kWormholeNonblocking, kMesh, one), 8 + 3 + 10);
  EXPECT_EQ(*SendUnitsOf(C3Protocol::kWormholeBlocking, kMesh, one), 36 + 3 + 10);
  EXPECT_EQ(*SendUnitsOf(C3Protocol::kStoreForwardBlocking, kMesh, one), 36 + 30);
  EXPECT_EQ(*SendUnitsOf(C3Protocol::kStoreForwardNonblocking, kMesh, one), 8 + 30 + 3);
  EXPECT_EQ(*ReceiveUnitsOf(C3Protocol::kWormholeBlocking, kMesh, one), 8 + 20 + 3);
  EXPECT_EQ(*ReceiveUnitsOf(C3Protocol::kStoreForwardBlocking, kMesh, one), 18 + 30);
}

TEST(C3Units, ProcessorsThatDoNothingPayNothing) {
  for (const C3Protocol protocol : kProtocols) {
    EXPECT_EQ(*SendUnitsOf(protocol, kMesh, {}), 0);
    EXPECT_EQ(*ReceiveUnitsOf(protocol, kMesh, {}), 0);
    const C3Units none = *CommunicationUnits(protocol, kMesh, {});
    EXPECT_EQ(none.Total(), 0);
  }
}

// No bytes, but a message: the set-up and the way are paid, congestion has nothing to carry.
TEST(C3Units, AMessageWithoutBytesPaysItsSetUp) {
  const std::vector<Transfer> empty = {{0, 1, 0}};
  const C3Units units = *CommunicationUnits(C3Protocol::kWormholeNonblocking, kMesh, empty);
  EXPECT_EQ(units.ends, 18);
  EXPECT_EQ(units.Total(), 18);
}

// Two to one place and one to another: L_01 = 1000 bytes is two packets, not three; the pairs are
// two. Blocks that a processor keeps are not communication.
TEST(C3Units, SumsTheMessagesOfAPair) {
  const std::vector<Transfer> messages = {{0, 1, 600}, {0, 2, 1}, {0, 1, 400}, {3, 3, 1e9}};
  const C3Units units = *CommunicationUnits(C3Protocol::kWormholeNonblocking, kMesh, messages);
  EXPECT_EQ(units.ends, 2 * 8 + 10 + 3);
  EXPECT_EQ(units.link_congestion, 1.5);
  EXPECT_EQ(units.processor_congestion, 15);
}

// The busiest is the one with most of both, not the busiest sender and the busiest receiver.
TEST(C3Units, AddsSendsAndReceivesOfTheSameProcessor) {
  const std::vector<Transfer> chain = {{0, 1, 512}, {1, 2, 512}};
  EXPECT_EQ(CommunicationUnits(C3Protocol::kWormholeNonblocking, kMesh, chain)->ends, 19 + 1);
}

TEST(C3Units, RefusesWhatIsOutOfRange) {
  const auto field = [](const C3Machine& machine, const std::vector<Transfer>& messages) {
    return domain::FieldOf(
        CommunicationUnits(C3Protocol::kWormholeNonblocking, machine, messages).status());
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(field({0, 512, 8, 10, 16}, {}), "machine.processors_count");
  EXPECT_EQ(field({4, 0.5, 8, 10, 16}, {}), "machine.packet_bytes");
  EXPECT_EQ(field({4, 512, -1, 10, 16}, {}), "machine.setup_units");
  EXPECT_EQ(field({4, 512, 8, nan, 16}, {}), "machine.distance_hops");
  EXPECT_EQ(field({4, 512, 8, 10, 0}, {}), "machine.bisection_links");
  EXPECT_EQ(field({4, 512, 8, 10, 1}, {{0, 4, 1}}), "messages[0].destination");
  EXPECT_EQ(field({4, 512, 8, 10, 1}, {{0, 1, 1}, {-1, 0, 1}}), "messages[1].source");
  EXPECT_EQ(field({4, 512, 8, 10, 1}, {{0, 1, nan}}), "messages[0].bytes");
  EXPECT_EQ(domain::FieldOf(SendUnitsOf(C3Protocol::kWormholeBlocking, kMesh, {1, -1}).status()),
            "bytes[1]");
}

}  // namespace
}  // namespace cox::model
