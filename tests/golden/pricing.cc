#include "pricing.h"

#include <cstdlib>
#include <iostream>

#include "domain/level.h"
#include "domain/shape.h"
#include "model/model.h"
#include "strategy/catalogue.h"

namespace cox::golden {

double Price(absl::string_view model_id, const NamedValues& parameters,
             const model::Schedule& schedule) {
  const model::Model& model = **model::FindModel(model_id);
  std::vector<double> values;
  size_t named = 0;
  for (const model::ParameterSpec& spec : model.parameters()) {
    double value = spec.default_value;
    for (const auto& [name, given] : parameters) {
      if (spec.name != name || spec.level == domain::Level::kNode ||
          spec.level == domain::Level::kSocket) {
        continue;
      }
      value = given;
      ++named;
    }
    values.push_back(value);
  }
  if (named != parameters.size()) {
    std::cerr << model_id << " has no parameter of one of the names\n";
    std::abort();
  }
  return model.Price(values, schedule).TotalSeconds();
}

model::Schedule ScheduleOf(absl::string_view name, int64_t ranks, int64_t block_bytes, int64_t ppn,
                           const domain::Shape* shape) {
  const strategy::Strategy strategy = *strategy::ParseStrategy(name);
  const strategy::Scenario scenario{.collective = strategy.algorithm->collective,
                                    .ranks = ranks,
                                    .ppn = ppn,
                                    .block_bytes = block_bytes,
                                    .shape = shape};
  model::Schedule schedule;
  strategy::Build(strategy, scenario, &schedule);
  return schedule;
}

}  // namespace cox::golden
