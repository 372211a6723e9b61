// The operations take every row that the daemon lists for libcoxcoll, and no postal tree equals
// another row's tree.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "collectives/choice/personalised.h"
#include "collectives/choice/rooted_trees.h"
#include "collectives/protocols/broadcast_tree.h"
#include "domain/collective.h"
#include "library/algorithms.h"
#include "library/run_time_number.h"

namespace cox::collectives {
namespace {

using domain::Collective;
using library::kCoxcoll;

TEST(LibraryRows, OperationsTakeThem) {
  constexpr AlgorithmRow kExchanges[] = {kDirectRow, kWindowedRow, kPairwiseRow, kBruckRow,
                                         kMesh2dRow, kGrid3dRow,   kHypercubeRow};
  const struct {
    Collective collective;
    std::span<const AlgorithmRow> rows;
  } kOperations[] = {{Collective::kGather, GatherRows()},
                     {Collective::kScatter, ScatterRows()},
                     {Collective::kBcast, BroadcastRows()},
                     {Collective::kAlltoall, kExchanges},
                     {Collective::kAlltoallv, kExchanges}};
  size_t count = 0;
  for (const library::Algorithm& row : library::AlgorithmsOf(kCoxcoll)) {
    for (const auto& operation : kOperations) {
      if (operation.collective != row.collective) continue;
      ++count;
      AlgorithmChoice choice;
      const std::string name(row.native_name);
      EXPECT_EQ(ParseAlgorithm(name, operation.rows, &choice), "");
      EXPECT_EQ(FormatAlgorithm(choice, operation.rows), name);
    }
  }
  EXPECT_EQ(count, library::AlgorithmsOf(kCoxcoll).size());
}

using Edges = std::vector<std::vector<int>>;  // children of each rank, and its parent
Edges TreeOf(const library::Algorithm& row, int ranks) {
  AlgorithmChoice choice;
  EXPECT_EQ(ParseAlgorithm(std::string(row.native_name), BroadcastRows(), &choice), "");
  Edges edges;
  for (int rank = 0; rank < ranks; ++rank) {
    const BroadcastPeers peers = PeersOf(choice, ranks, 0, rank);
    edges.push_back(peers.children);
    edges.back().push_back(peers.parent);
  }
  return edges;
}

TEST(LibraryRows, NoBroadcastIsAnother) {
  std::vector<const library::Algorithm*> rows;
  for (const library::Algorithm& row : library::AlgorithmsOf(kCoxcoll)) {
    if (row.collective == Collective::kBcast) rows.push_back(&row);
  }
  ASSERT_GE(rows.size(), 3);
  for (int ranks = 2; ranks <= 64; ++ranks) {
    const strategy::Scenario scenario{.collective = Collective::kBcast,
                                      .ranks = ranks,
                                      .ppn = 1,
                                      .block_bytes = 64,
                                      .type_bytes = 1};
    for (size_t i = 0; i < rows.size(); ++i) {
      const auto runs = [&](const library::Algorithm& row) {
        return library::Effective(row, scenario, library::kUsualCalls) != nullptr;
      };
      // True if an earlier row that runs has the same tree. A row must run exactly if none has, so
      // its needs are not too narrow.
      bool is_another = false;
      for (size_t j = 0; j < i; ++j) {
        is_another |= runs(*rows[j]) && TreeOf(*rows[i], ranks) == TreeOf(*rows[j], ranks);
      }
      EXPECT_EQ(runs(*rows[i]), !is_another) << rows[i]->native_name << " with " << ranks;
    }
  }
}

}  // namespace
}  // namespace cox::collectives
