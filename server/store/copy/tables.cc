#include "store/copy/tables.h"

namespace cox::store {
namespace {

constexpr CopiedTable kTables[] = {
    {"machine",
     "machine_id, name, nodes, cores_per_node, topology_kind, topology_dims, create_time_us,"
     " pinned_revision, dropped_count, summed_count, relearn_from_id",
     "itiittiiiii", "machine_id"},
    {"machine_switches", "machine_id, topology_conf, change_time_us", "iti"},
    {"published_machine", "name", "t"},
    {"deleted_machine", "machine_id, name, delete_time_us", "iti"},
    {"profile",
     "profile_id, machine_id, revision, provenance, note, observations_through_id, create_time_us",
     "iiittii", "profile_id"},
    {"parameter",
     "profile_id, position, model, level, name, value, stderr, above, relation, source",
     "iitttrrrtt"},
    {"scenario",
     "scenario_id, machine_id, library, collective, algorithm, nodes, ppn, ranks, block_bytes,"
     " type_bytes",
     "iitttiiiii", "scenario_id"},
    {"job", "job_id, name, dropped_count", "iti", "job_id"},
    {"source", "source_id, name", "it", "source_id"},
    {"batch", "batch_id, job_id, sequence, id_count, dropped_count, source_id, kind", "iiiiiii"},
    {"observation",
     "observation_id, machine_id, scenario_id, time_s, timing_count, stddev_s, statistic, run,"
     " at_us",
     "iiiririti"},
    {"old_sum",
     "first_id, last_id, machine_id, scenario_id, job_id, source_id, kind, day, first_us, last_us,"
     " observation_count, weight, bins, timing_count, total_time_s",
     "iiiiiiiiiiiibir"},
    {"id_of_day", "day, first_id", "ii"},
    {"cell",
     "scenario_id, kind, epoch, observation_count, weight, bins, reporter_sum, reporter_square_sum",
     "iiiiibii"},
    {"report_count", "job_id, source_id, machine_id, observation_count, dropped_count", "iiiii"},
    {"pattern_sketch",
     "pattern_sketch_id, machine_id, application, kind, nodes, ppn, ranks, job_id, source_id,"
     " phase_count, sampled_count, repeat_count, total_bytes, timed_count, inside_s, between_s,"
     " destination_counts, size_counts, distance_counts, change_time_us",
     "iitiiiiiiiiirirrttti", "pattern_sketch_id"},
    {"drift",
     "drift_id, machine_id, library, collective, level, min_block_bytes, max_block_bytes, first_id,"
     " last_id, log_factor, observation_count, create_time_us, is_followed",
     "iitttiiiiriii", "drift_id"},
    {"drift_evidence",
     "drift_id, position, library, collective, algorithm, nodes, ppn, ranks, block_bytes,"
     " log_factor, observation_count",
     "iitttiiiiri"},
    {"withdrawal",
     "withdrawal_id, machine_id, library, collective, algorithm, nodes, ppn, ranks,"
     " min_block_bytes, max_block_bytes, log_factor, pair_count, job_count, first_id, last_id,"
     " revision, create_time_us",
     "iitttiiiiiriiiiii", "withdrawal_id"},
    {"request", "request_number, request_id, method, subject, outcome, create_time_us", "itttii",
     "request_number"},
    {"audit", "audit_id, time_us, principal, method, machine, change", "iitttt", "audit_id"},
};

}  // namespace

absl::Span<const CopiedTable> CopiedTables() { return kTables; }

}  // namespace cox::store
