#include "model/cost.h"

namespace cox::model {

absl::string_view TermName(Term term) {
  switch (term) {
    case Term::kStartup:
      return "startup";
    case Term::kBandwidth:
      return "bandwidth";
    case Term::kLatency:
      return "latency";
    case Term::kGap:
      return "gap";
    case Term::kSync:
      return "sync";
    case Term::kLinkCongestion:
      return "link congestion";
    case Term::kProcessorCongestion:
      return "processor congestion";
    case Term::kCopy:
      return "copy";
    case Term::kCompute:
      return "compute";
  }
  return "";
}

}  // namespace cox::model
