// A job's calls, and what they cost against the library's default.
import { num, type ObservedTimes } from '../api/types';

export const cellKey = (row: ObservedTimes) =>
  [row.library, row.collective, num(row.nodes), num(row.ppn), num(row.ranks), num(row.blockBytes), num(row.typeBytes)].join('/');

export interface CallRow {
  row: ObservedTimes;
  defaultTimeS?: number; // median of the default in the same scenario, as observed in any job or benchmark
  savedS?: number; // over all timings of the job; negative: it cost more
}

// What a job's calls cost against the default, the longest first.
export function compareWithDefault(rows: ObservedTimes[], observed: ObservedTimes[]): CallRow[] {
  const defaults = new Map<string, ObservedTimes>();
  for (const row of observed) {
    if (row.algorithm !== 'default') continue;
    const known = defaults.get(cellKey(row));
    // Jobs compare with jobs, where there are any.
    if (known === undefined || row.measurement === 'MEASUREMENT_JOB') defaults.set(cellKey(row), row);
  }
  return rows.map((row) => {
    const defaultTimeS = defaults.get(cellKey(row))?.medianTimeS;
    if (row.algorithm === 'default' || defaultTimeS === undefined) return { row, defaultTimeS };
    return { row, defaultTimeS, savedS: (defaultTimeS - (row.medianTimeS ?? 0)) * num(row.timingCount) };
  }).sort((a, b) => (b.row.totalTimeS ?? 0) - (a.row.totalTimeS ?? 0));
}

// What is less than this apart is the same.
export const SAME = 0.005;

// "2.00× as fast", in the colour of better or worse where it is more than rounding.
export function Against(props: { ratio: number | undefined }) {
  if (props.ratio === undefined) return <td class="number">–</td>;
  if (Math.abs(props.ratio - 1) < SAME) return <td class="number">as fast</td>;
  return <td class={`number ${props.ratio > 1 ? 'better' : 'worse'}`}>{props.ratio.toFixed(2)}× as fast</td>;
}
