#include "cli/output/prediction_sheet.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "cli/output/svg_plot.h"
#include "console/csv.h"
#include "console/numbers.h"
#include "console/printable.h"
#include "console/table.h"
#include "console/units.h"
#include "domain/words/counted.h"
#include "files/file_io.h"

namespace cox::cli {
namespace {

template <typename Value>
void AddNew(const Value& value, std::vector<Value>* values) {
  if (std::find(values->begin(), values->end(), value) == values->end()) values->push_back(value);
}

// "link congestion" as a column: "link_congestion_s".
std::string TermColumn(const std::string& term) {
  return absl::StrCat(absl::StrReplaceAll(term, {{" ", "_"}}), "_s");
}

// "4096 operations" and "4.1943e+06 operations" give the same text.
std::string WithoutNumbers(const std::string& caveat) {
  std::string text;
  for (const char c : caveat) {
    if (!absl::ascii_isdigit(static_cast<unsigned char>(c))) {
      text += c;
    } else if (text.empty() || text.back() != '#') {
      text += '#';
    }
  }
  return absl::StrReplaceAll(text, {{"#.#e+#", "#"}, {"#e+#", "#"}, {"#.#", "#"}});
}

}  // namespace

void AddSheetOptions(Verb app, SheetFiles& files, bool with_plot) {
  app.Text("--csv", files.csv, "Write the answers as CSV to this file (-: standard output)")
      .Type("FILE");
  if (!with_plot) return;
  app.Text("--plot", files.plot,
           "Draw the times to this SVG file, a line for each, both axes logarithmic")
      .Type("FILE");
}

absl::Status CheckSheetFiles(const SheetFiles& files, const GlobalOptions& global) {
  if (files.csv != "-" || !global.json) return absl::OkStatus();
  return UsageError("--csv - and --json both write to standard output");
}

absl::Status WriteSheet(Session& session, const std::string& path, const std::string& text) {
  if (path != "-") return ReplaceFile(path, text);
  session.out() << text;
  return absl::OkStatus();
}

bool IsInUnits(const v1::Prediction& prediction) {
  return prediction.time_s() == 0 && prediction.units() > 0;
}

double AmountOf(const v1::Prediction& prediction) {
  return IsInUnits(prediction) ? prediction.units() : prediction.time_s();
}

std::string AmountText(double time_s, bool is_units) {
  return is_units ? absl::StrFormat("%.6g units", time_s) : console::FormatTime(time_s);
}

std::string AmountText(const v1::Prediction& prediction) {
  return AmountText(AmountOf(prediction), IsInUnits(prediction));
}

std::string TermsText(const v1::Prediction& prediction) {
  std::vector<const v1::CostTerm*> terms;
  for (const v1::CostTerm& term : prediction.terms()) terms.push_back(&term);
  std::stable_sort(terms.begin(), terms.end(), [](const v1::CostTerm* a, const v1::CostTerm* b) {
    return a->time_s() > b->time_s();
  });
  return absl::StrJoin(terms, " + ", [](std::string* out, const v1::CostTerm* term) {
    absl::StrAppend(out, term->name(), " ", console::FormatTime(term->time_s()));
  });
}

std::string PredictionSheet::SizeText(int64_t size) const {
  if (size < 0) return "-";
  return words_.size_is_bytes ? console::FormatBytes(size) : absl::StrCat(size);
}

bool PredictionSheet::IsOnePoint() const {
  return std::all_of(rows_.begin(), rows_.end(), [&](const Row& row) {
    return row.ranks == rows_[0].ranks && row.size == rows_[0].size;
  });
}

std::vector<std::string> PredictionSheet::Models() const {
  std::vector<std::string> models;
  for (const Row& row : rows_) AddNew(row.prediction.model(), &models);
  return models;
}

void PredictionSheet::Print(std::ostream& out) const {
  const std::vector<std::string> models = Models();
  if (IsOnePoint() && models.size() > 1) {
    PrintMatrix(out, models);
  } else {
    PrintRows(out);
  }
  PrintCaveats(out);
}

void PredictionSheet::PrintMatrix(std::ostream& out, const std::vector<std::string>& models) const {
  std::vector<std::string> names;
  std::map<std::pair<std::string, std::string>, const v1::Prediction*> cells;
  for (const Row& row : rows_) {
    AddNew(row.prediction.strategy(), &names);
    cells[{row.prediction.strategy(), row.prediction.model()}] = &row.prediction;
  }
  std::vector<console::Table::Column> columns = {{absl::AsciiStrToUpper(words_.what)}};
  for (const std::string& model : models) columns.push_back({model, console::Align::kRight});
  columns.push_back({"MAX/MIN", console::Align::kRight});
  console::Table table(columns);
  for (const std::string& name : names) {
    std::vector<std::string> line = {name};
    std::vector<double> seconds;
    for (const std::string& model : models) {
      const auto cell = cells.find({name, model});
      line.push_back(cell == cells.end() ? "-" : AmountText(*cell->second));
      if (cell != cells.end() && cell->second->time_s() > 0) {
        seconds.push_back(cell->second->time_s());
      }
    }
    const auto [least, greatest] = std::minmax_element(seconds.begin(), seconds.end());
    line.push_back(seconds.size() < 2 ? "-" : absl::StrFormat("%.3g", *greatest / *least));
    table.Add(std::move(line));
  }
  out << console::Printable(words_.title);
  if (rows_[0].ranks > 0) out << ", " << domain::Counted(rows_[0].ranks, "rank");
  if (rows_[0].size >= 0) out << ", " << SizeText(rows_[0].size);
  out << "\n\n";
  table.Print(out);
}

void PredictionSheet::PrintRows(std::ostream& out) const {
  console::Table table({{"RANKS", console::Align::kRight},
                        {words_.size_is_bytes ? "BYTES" : absl::AsciiStrToUpper(words_.size_column),
                         console::Align::kRight},
                        {"MODEL"},
                        {absl::AsciiStrToUpper(words_.what)},
                        {"TIME", console::Align::kRight},
                        {"TERMS", console::Align::kLeft, console::Fit::kFold}});
  for (const Row& row : rows_) {
    table.Add({row.ranks == 0 ? "-" : absl::StrCat(row.ranks), SizeText(row.size),
               row.prediction.model(), row.prediction.strategy(), AmountText(row.prediction),
               TermsText(row.prediction)});
  }
  table.Print(out);
}

// Each caveat once, with the strategies that it is about. At the points of a sweep a strategy's
// caveat may differ in numbers only: the first one is enough.
void PredictionSheet::PrintCaveats(std::ostream& out) const {
  std::map<std::vector<std::string>, std::vector<std::string>> texts;
  const auto texts_of = [&](const v1::Prediction& prediction) -> std::vector<std::string>& {
    return texts[{prediction.model(), prediction.strategy(), WithoutNumbers(prediction.caveat())}];
  };
  for (const Row& row : rows_) AddNew(row.prediction.caveat(), &texts_of(row.prediction));
  std::vector<std::pair<std::string, std::string>> order;  // model, caveat
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> about;
  for (const Row& row : rows_) {
    if (row.prediction.caveat().empty()) continue;
    const std::vector<std::string>& same = texts_of(row.prediction);
    const std::pair<std::string, std::string> key(
        row.prediction.model(),
        absl::StrCat(same.front(), same.size() > 1 ? " (with other numbers at other points)" : ""));
    AddNew(key, &order);
    AddNew(row.prediction.strategy(), &about[key]);
  }
  if (!order.empty() || !caveats_.empty()) out << '\n';
  for (const std::string& caveat : caveats_) {
    out << "note: " << console::Printable(caveat) << '\n';
  }
  std::set<std::string> all;
  for (const Row& row : rows_) all.insert(row.prediction.strategy());
  for (const auto& key : order) {
    const std::vector<std::string>& names = about[key];
    const bool is_all = names.size() == all.size();
    out << console::Printable(absl::StrCat(
               "note: ", key.first, is_all ? "" : absl::StrCat(", ", absl::StrJoin(names, ", ")),
               ": ", key.second))
        << '\n';
  }
}

std::string PredictionSheet::Csv() const {
  std::vector<std::string> terms;
  for (const Row& row : rows_) {
    for (const v1::CostTerm& term : row.prediction.terms()) AddNew(term.name(), &terms);
  }
  std::string out = absl::StrCat("ranks,", words_.size_column, ",model,", words_.what,
                                 ",time_s,units,cpu_time_s");
  for (const std::string& term : terms)
    absl::StrAppend(&out, ",", console::CsvField(TermColumn(term)));
  absl::StrAppend(&out, ",caveat\r\n");
  for (const Row& row : rows_) {
    const v1::Prediction& prediction = row.prediction;
    if (row.ranks > 0) absl::StrAppend(&out, row.ranks);
    out += ',';
    if (row.size >= 0) absl::StrAppend(&out, row.size);
    absl::StrAppend(&out, ",", console::CsvField(prediction.model()), ",",
                    console::CsvField(prediction.strategy()), ",",
                    console::FormatDouble(prediction.time_s()), ",",
                    console::FormatDouble(prediction.units()), ",",
                    console::FormatDouble(prediction.cpu_time_s()));
    for (const std::string& name : terms) {
      double time_s = 0;
      for (const v1::CostTerm& term : prediction.terms()) {
        if (term.name() == name) time_s = term.time_s();
      }
      absl::StrAppend(&out, ",", console::FormatDouble(time_s));
    }
    absl::StrAppend(&out, ",", console::CsvField(prediction.caveat()), "\r\n");
  }
  return out;
}

absl::StatusOr<std::string> PredictionSheet::Svg() const {
  const bool over_ranks = std::all_of(rows_.begin(), rows_.end(),
                                      [&](const Row& row) { return row.size == rows_[0].size; });
  const bool one_rank_count = std::all_of(
      rows_.begin(), rows_.end(), [&](const Row& row) { return row.ranks == rows_[0].ranks; });
  const bool in_seconds = std::any_of(rows_.begin(), rows_.end(),
                                      [](const Row& row) { return row.prediction.time_s() > 0; });
  const bool one_model = Models().size() <= 1;
  Plot plot;
  plot.title = words_.title;
  if (one_model && !rows_.empty()) absl::StrAppend(&plot.title, ", ", rows_[0].prediction.model());
  if (over_ranks && !rows_.empty()) absl::StrAppend(&plot.title, ", ", SizeText(rows_[0].size));
  if (one_rank_count && !rows_.empty()) {
    absl::StrAppend(&plot.title, ", ", domain::Counted(rows_[0].ranks, "rank"));
  }
  plot.x_label = over_ranks ? "ranks" : words_.size_label;
  plot.x_unit = over_ranks || !words_.size_is_bytes ? AxisUnit::kCount : AxisUnit::kBytes;
  plot.y_label = in_seconds ? "time (seconds)" : "units";
  plot.y_unit = in_seconds ? AxisUnit::kSeconds : AxisUnit::kCount;
  std::vector<std::string> names;
  for (const Row& row : rows_) {
    std::string name = row.prediction.strategy();
    if (!one_model) absl::StrAppend(&name, ", ", row.prediction.model());
    if (!over_ranks && !one_rank_count)
      absl::StrAppend(&name, ", ", domain::Counted(row.ranks, "rank"));
    AddNew(name, &names);
    plot.lines.resize(names.size());
    PlotLine& line = plot.lines[static_cast<size_t>(std::find(names.begin(), names.end(), name) -
                                                    names.begin())];
    line.name = name;
    line.points.emplace_back(static_cast<double>(over_ranks ? row.ranks : row.size),
                             in_seconds ? row.prediction.time_s() : row.prediction.units());
  }
  for (PlotLine& line : plot.lines) std::sort(line.points.begin(), line.points.end());
  return DrawSvg(plot);
}

absl::Status PredictionSheet::Show(Session& session, const SheetFiles& files) const {
  if (!session.json() && files.csv != "-") Print(session.out());
  if (!files.csv.empty()) {
    if (absl::Status written = WriteSheet(session, files.csv, Csv()); !written.ok()) {
      return written;
    }
  }
  if (files.plot.empty()) return absl::OkStatus();
  const absl::StatusOr<std::string> svg = Svg();
  if (!svg.ok()) return svg.status();
  return WriteSheet(session, files.plot, *svg);
}

}  // namespace cox::cli
