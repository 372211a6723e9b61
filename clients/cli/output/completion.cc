#include "cli/output/completion.h"

#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "domain/collective.h"
#include "library/libraries.h"
#include "model/model.h"
#include "strategy/kernels/kernel.h"

namespace cox::cli {
namespace {

// Words that may follow a verb's path: its verbs and its options.
std::string WordsOf(const VerbDescription& verb, const VerbDescription& root) {
  std::vector<std::string> words = verb.verbs;
  for (const OptionDescription& option : verb.options) {
    words.insert(words.end(), option.flags.begin(), option.flags.end());
  }
  if (&verb != &root) {
    for (const OptionDescription& option : root.options) {
      words.insert(words.end(), option.flags.begin(), option.flags.end());
    }
  }
  words.push_back("--help");
  return absl::StrJoin(words, " ");
}

// The values of an option or argument that are known without a daemon. Others may be allowed, too.
std::vector<std::string> ValuesOf(const OptionDescription& option) {
  std::vector<std::string> values = option.choices;
  if (option.type == "COLLECTIVE" || option.type == "COLLECTIVES") {
    for (int i = 0; i < domain::kCollectiveCount; ++i) {
      values.emplace_back(domain::CollectiveName(static_cast<domain::Collective>(i)));
    }
  } else if (option.type == "LIBRARY") {
    for (const library::Library& library : library::Libraries()) values.emplace_back(library.name);
  } else if (option.type == "MODEL") {
    for (const model::Model* model : model::Models()) values.emplace_back(model->id());
    values.emplace_back("all");
  } else if (option.type == "KERNEL") {
    for (const strategy::Kernel& kernel : strategy::Kernels()) {
      if (values.empty() || values.back() != kernel.name) values.emplace_back(kernel.name);
    }
  }
  return values;
}

// How the value of an option, or an argument, is completed. Empty: not at all.
std::string ValueCompletion(const OptionDescription& option) {
  if (const std::vector<std::string> values = ValuesOf(option); !values.empty()) {
    return absl::StrCat("_cox_offer '", absl::StrJoin(values, " "), "'");
  }
  if (option.is_file) return "COMPREPLY=($(compgen -f -- \"$cur\"))";
  if (option.type == "MACHINE") return "_cox_offer \"$(_cox_machines)\"";
  return "";
}

// Options that take a value, over all verbs: the word after one of them is that value.
std::string ValueFlags(const std::vector<VerbDescription>& verbs, absl::string_view separator) {
  std::set<std::string> all;
  for (const VerbDescription& verb : verbs) {
    for (const OptionDescription& option : verb.options) {
      if (!option.type.empty()) all.insert(option.flags.begin(), option.flags.end());
    }
  }
  return absl::StrJoin(all, separator);
}

// The paths of all verbs, quoted, also behind `help`.
std::string QuotedPaths(const std::vector<VerbDescription>& verbs, absl::string_view separator) {
  std::vector<std::string> paths = {"'help'"};
  for (const VerbDescription& verb : verbs) {
    if (verb.path.empty()) continue;
    const std::string path = absl::StrJoin(verb.path, " ");
    paths.push_back(absl::StrCat("'", path, "'"));
    paths.push_back(absl::StrCat("'help ", path, "'"));
  }
  return absl::StrJoin(paths, separator);
}

// The cases of "PATH FLAG" that complete an option's value: the same flag may have other values in
// another verb. Options of all verbs come last.
std::string ValueCases(const std::vector<VerbDescription>& verbs) {
  std::string own;
  std::string global;
  for (const VerbDescription& verb : verbs) {
    for (const OptionDescription& option : verb.options) {
      if (option.type.empty() || option.flags.empty()) continue;
      const auto pattern = [&](std::string* out, const std::string& flag) {
        absl::StrAppend(out, verb.path.empty() ? "*" : "",
                        absl::StrCat("'", absl::StrJoin(verb.path, " "), " ", flag, "'"));
      };
      const std::string completion = ValueCompletion(option);
      absl::StrAppend(verb.path.empty() ? &global : &own, "    ",
                      absl::StrJoin(option.flags, " | ", pattern), ")\n",
                      completion.empty() ? "" : absl::StrCat("      ", completion, "\n"),
                      "      return ;;\n");
    }
  }
  return own + global;
}

// `cox help` takes the verbs behind it, so it is completed as if it were not there.
std::string HelpPattern(absl::string_view path) {
  return absl::StrCat(" | 'help", path.empty() ? "" : " ", path, "'");
}

std::string FishQuoted(absl::string_view text) {
  return absl::StrCat("'", absl::StrReplaceAll(text, {{"\\", "\\\\"}, {"'", "\\'"}, {"\n", " "}}),
                      "'");
}

// Fish reads a list of values as words of its language.
std::string FishWord(absl::string_view value) {
  const bool is_plain = absl::c_all_of(
      value, [](char c) { return absl::ascii_isalnum(c) || absl::StrContains("-_./", c); });
  return is_plain ? std::string(value) : FishQuoted(value);
}

// One option or argument as words of `complete`.
std::string FishOption(const OptionDescription& option) {
  std::string words;
  for (const std::string& flag : option.flags) {
    if (!words.empty()) words += ' ';
    const bool is_long = flag.size() > 2;
    absl::StrAppend(&words, is_long ? "-l " : "-s ", flag.substr(is_long ? 2 : 1));
  }
  if (!option.flags.empty() && !option.type.empty()) absl::StrAppend(&words, " -x");
  if (const std::vector<std::string> values = ValuesOf(option); !values.empty()) {
    const auto append = [](std::string* out, absl::string_view value) { *out += FishWord(value); };
    absl::StrAppend(&words, " -a ", FishQuoted(absl::StrJoin(values, " ", append)));
  } else if (option.is_file) {
    absl::StrAppend(&words, " -a '(__fish_complete_path)'");
  } else if (option.type == "MACHINE") {
    absl::StrAppend(&words, " -a '(__cox_machines)'");
  }
  return absl::StrCat(words, " -d ", FishQuoted(option.text));
}

}  // namespace

std::string BashCompletion(const std::vector<VerbDescription>& verbs) {
  std::string out =
      "# Completion of cox for bash. Made by `cox --print-completion bash`.\n"
      "_cox_machines() {\n"
      "  cox --timeout 0.3 --json machine list 2>/dev/null |\n"
      // Names that coxd allows, and no others: the shell expands what is offered to it.
      "    grep -oE '\"name\":\"machines/[a-z0-9][a-z0-9._-]*\"' | sed 's|.*/||; s|\"||'\n"
      "}\n"
      "# The words of $1 that begin as the word on the line, quoted for the shell.\n"
      "_cox_offer() {\n"
      "  local word\n"
      "  COMPREPLY=()\n"
      "  for word in $(compgen -W \"$1\" -- \"$cur\"); do\n"
      "    COMPREPLY+=(\"$(printf %q \"$word\")\")\n"
      "  done\n"
      "}\n"
      "_cox() {\n"
      "  local cur prev word path='' i\n"
      "  cur=${COMP_WORDS[COMP_CWORD]}\n"
      "  prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
      "  COMPREPLY=()\n";
  absl::StrAppend(&out,
                  "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
                  "    word=${COMP_WORDS[i]}\n"
                  "    case $word in\n"
                  "      ",
                  ValueFlags(verbs, " | "),
                  ") ((i++)); continue ;;\n"
                  "      -*) continue ;;\n"
                  "    esac\n"
                  "    word=\"${path:+$path }$word\"\n"
                  "    case $word in\n"
                  "      ",
                  QuotedPaths(verbs, " | "),
                  ") path=$word ;;\n"
                  "    esac\n"
                  "  done\n"
                  "  case \"$path $prev\" in\n",
                  ValueCases(verbs),
                  "  esac\n"
                  "  case $path in\n");
  for (const VerbDescription& verb : verbs) {
    const std::string path = absl::StrJoin(verb.path, " ");
    absl::StrAppend(&out, "    '", path, "'", verb.verbs.empty() ? "" : HelpPattern(path),
                    ")\n      _cox_offer '", WordsOf(verb, verbs.front()), "'\n");
    for (const OptionDescription& option : verb.options) {
      if (!option.flags.empty()) continue;
      const std::string value = ValueCompletion(option);
      if (!value.empty()) absl::StrAppend(&out, "      [[ $cur == -* ]] || ", value, "\n");
    }
    absl::StrAppend(&out, "      ;;\n");
  }
  absl::StrAppend(&out, "  esac\n}\ncomplete -F _cox cox\n");
  return out;
}

std::string FishCompletion(const std::vector<VerbDescription>& verbs) {
  std::string out = absl::StrCat(
      "# Completion of cox for fish. Made by `cox --print-completion fish`.\n"
      "function __cox_machines\n"
      "  cox --timeout 0.3 --json machine list 2>/dev/null |\n"
      "    string match -rag '\"name\":\"machines/([a-z0-9][a-z0-9._-]*)\"'\n"
      "end\n"
      "# Whether the verbs on the line so far are just these.\n"
      "function __cox_at\n"
      "  set -l path\n"
      "  set -l skip 0\n"
      "  for word in (commandline -opc)[2..]\n"
      "    if test $skip = 1\n"
      "      set skip 0\n"
      "    else if contains -- $word ",
      ValueFlags(verbs, " "),
      "\n"
      "      set skip 1\n"
      "    else if contains -- (string trim -- \"$path $word\") ",
      QuotedPaths(verbs, " "),
      "\n"
      "      set -a path $word\n"
      "    end\n"
      "  end\n"
      "  test \"$path\" = \"$argv\"\n"
      "end\n"
      "complete -c cox -f\n");
  std::map<std::string, std::string> texts;  // of a verb, by its path
  for (const VerbDescription& verb : verbs) texts[absl::StrJoin(verb.path, " ")] = verb.text;
  for (const VerbDescription& verb : verbs) {
    const std::string path = absl::StrJoin(verb.path, " ");
    const std::string at = absl::StrCat("complete -c cox -n '__cox_at ", path, "' ");
    for (const std::string& name : verb.verbs) {
      const std::string sub = path.empty() ? name : absl::StrCat(path, " ", name);
      absl::StrAppend(&out, at, "-a ", name, " -d ", FishQuoted(texts[sub]), "\n");
      absl::StrAppend(&out, "complete -c cox -n '__cox_at help ", path, "' -a ", name, " -d ",
                      FishQuoted(texts[sub]), "\n");
    }
    for (const OptionDescription& option : verb.options) {
      // Global options are understood behind every verb.
      absl::StrAppend(&out, verb.path.empty() ? "complete -c cox " : at, FishOption(option), "\n");
    }
  }
  return out;
}

std::string ZshCompletion(const std::vector<VerbDescription>& verbs) {
  return absl::StrCat("#compdef cox\nautoload -U +X bashcompinit && bashcompinit\n",
                      BashCompletion(verbs));
}

}  // namespace cox::cli
