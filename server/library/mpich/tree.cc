#include "library/mpich/tree.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "library/mpich/leaves.h"

namespace cox::library {
namespace {

constexpr absl::string_view kAlgorithm = "algorithm=";

absl::Status Wrong(const JsonMember& member, absl::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat("line ", member.line, ": \"", member.key, "\" ", what));
}

// Makes `node` a leaf if one of the members names an algorithm.
absl::StatusOr<bool> TakeLeaf(absl::Span<const JsonMember> members, MpichNode* node) {
  const auto* leaf = std::find_if(members.begin(), members.end(), [](const JsonMember& member) {
    return absl::StartsWith(member.key, kAlgorithm);
  });
  if (leaf == members.end()) return false;
  node->algorithm = leaf->key.substr(kAlgorithm.size());
  if (FindMpichLeaf(node->algorithm) == nullptr) return Wrong(*leaf, "is not an algorithm");
  for (const JsonMember& member : members) {
    if (&member != leaf) node->parameters.push_back(member.key);
  }
  return true;
}

// Equal keys have the place of the first and the object of the last.
std::vector<const JsonMember*> AsKept(absl::Span<const JsonMember> members) {
  std::vector<const JsonMember*> kept;
  for (const JsonMember& member : members) {
    const auto same = std::find_if(kept.begin(), kept.end(), [&member](const JsonMember* other) {
      return other->key == member.key;
    });
    if (same == kept.end()) {
      kept.push_back(&member);
    } else {
      *same = &member;
    }
  }
  return kept;
}

void AppendText(const std::vector<MpichNode>& nodes, const std::string& indent, std::string* text) {
  bool first = true;
  for (const MpichNode& node : nodes) {
    absl::StrAppend(text, first ? "" : ",", "\n", indent);
    first = false;
    // A node with one child shares its line.
    const MpichNode* last = &node;
    std::string closing = "}";
    absl::StrAppend(text, "\"", MpichTestKey(node.test), "\":{");
    while (last->children.size() == 1) {
      last = &last->children.front();
      absl::StrAppend(text, "\"", MpichTestKey(last->test), "\":{");
      closing += "}";
    }
    if (last->children.empty()) {
      absl::StrAppend(text, "\"", kAlgorithm, last->algorithm, "\":{}");
      for (const std::string& parameter : last->parameters) {
        absl::StrAppend(text, ",\"", parameter, "\":{}");
      }
    } else {
      AppendText(last->children, indent + " ", text);
    }
    absl::StrAppend(text, closing);
  }
}

}  // namespace

absl::StatusOr<MpichTree> ToMpichTree(absl::Span<const JsonMember> members) {
  MpichTree tree;
  for (const JsonMember* member : AsKept(members)) {
    if (absl::StartsWith(member->key, kAlgorithm)) return Wrong(*member, "has no test above it");
    const auto test = ParseMpichTest(member->key);
    if (!test.has_value()) return Wrong(*member, "is not a test");
    if (member->members.empty()) return Wrong(*member, "leads nowhere");
    MpichNode node;
    node.test = *test;
    const absl::StatusOr<bool> is_leaf = TakeLeaf(member->members, &node);
    if (!is_leaf.ok()) return is_leaf.status();
    if (!*is_leaf) {
      absl::StatusOr<MpichTree> children = ToMpichTree(member->members);
      if (!children.ok()) return children.status();
      node.children = *std::move(children);
    }
    tree.push_back(std::move(node));
  }
  return tree;
}

absl::StatusOr<MpichTree> ParseMpichTree(absl::string_view text) {
  const auto members = ReadJsonObjects(text);
  if (!members.ok()) return members.status();
  return ToMpichTree(*members);
}

std::string MpichTreeText(const MpichTree& tree) {
  std::string text = "{";
  AppendText(tree, " ", &text);
  return absl::StrCat(text, "\n}\n");
}

MpichTree GrowMpichTree(absl::Span<const MpichPath> paths) {
  MpichTree tree;
  for (const MpichPath& path : paths) {
    std::vector<MpichNode>* siblings = &tree;
    MpichNode* node = nullptr;
    for (absl::string_view key : absl::StrSplit(path.tests, '/')) {
      const auto test = ParseMpichTest(key);
      if (!test.has_value()) continue;
      if (siblings->empty() || !(siblings->back().test == *test)) {
        siblings->emplace_back().test = *test;
      }
      node = &siblings->back();
      siblings = &node->children;
    }
    if (node != nullptr) node->algorithm = std::string(path.algorithm);
  }
  return tree;
}

}  // namespace cox::library
