// Summaries of observations: the store's records and the API's messages. Pure, any thread.
#ifndef COX_SERVICE_HISTORY_OBSERVED_TIMES_H_
#define COX_SERVICE_HISTORY_OBSERVED_TIMES_H_

#include "cox/v1/history.pb.h"
#include "store/cell.h"
#include "store/history.h"

namespace cox::service {

// The time in seconds that a share `q` (0..1) of a cell's observations does not exceed: the mean
// of the bin that holds the observation of rank ceil(q * count). 0 for an empty cell. A bin is
// 3.2 % wide, so the error is below 2 %.
double QuantileOf(const store::Cell& cell, double q);

void FromRecord(const store::CellRecord& record, v1::ObservedTimes* times);

// The row has a start_time if `in_buckets`.
void FromRecord(const store::SummaryRow& row, bool in_buckets, v1::ObservedTimes* times);

}  // namespace cox::service

#endif  // COX_SERVICE_HISTORY_OBSERVED_TIMES_H_
