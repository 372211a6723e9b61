// When a machine's times changed lastingly, and what shows it.
import { useState } from 'preact/hooks';
import { type Drift, type DriftEvidence, num, type ObservedTimes } from '../api/types';
import { useCall } from '../base/hooks';
import { bytesText, countText, whenText } from '../base/units';
import { Chart } from '../parts/chart';
import { Badge, Card, Empty, Progress } from '../parts/common';

const HOUR_MS = 3_600_000;
const BEFORE_MS = 24 * HOUR_MS;
const POINTS = 60;
const MOST_CELLS = 4;

const isOf = (row: ObservedTimes, cell: DriftEvidence) =>
  row.library === cell.library && row.collective === cell.collective && row.algorithm === cell.algorithm &&
  num(row.nodes) === num(cell.nodes) && num(row.ppn) === num(cell.ppn) && num(row.ranks) === num(cell.ranks) && num(row.blockBytes) === num(cell.blockBytes);

export const cellName = (cell: DriftEvidence): string =>
  `${cell.collective} ${cell.algorithm}, ${bytesText(num(cell.blockBytes))}, ${num(cell.nodes)} × ${num(cell.ppn)}`;

// Block sizes that calls have; a drift of all sizes has no largest one.
const LARGEST_BYTES = 2 ** 40;
export const sizesText = (drift: Drift): string => {
  const [from, to] = [num(drift.minBlockBytes), num(drift.maxBlockBytes)];
  if (to < LARGEST_BYTES) return `${bytesText(from)} to ${bytesText(to)}`;
  return from === 0 ? 'all block sizes' : `from ${bytesText(from)}`;
};

const middle = (values: number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? NaN;
};

// The times of a drift's cells by time bucket (seconds since 1970). Each cell is divided by what it
// took before: the median of its earliest quarter. So 1 is "as before".
export function evidenceSeries(rows: ObservedTimes[], cells: DriftEvidence[]): { xs: number[]; lines: { name: string; values: (number | null)[] }[] } {
  const at = (row: ObservedTimes) => new Date(row.startTime ?? 0).getTime() / 1000;
  const found = cells.map((cell) => ({
    cell,
    points: rows.filter((row) => isOf(row, cell) && (row.medianTimeS ?? 0) > 0).map((row) => ({ x: at(row), y: row.medianTimeS as number })).sort((a, b) => a.x - b.x),
  })).filter(({ points }) => points.length > 1);
  const xs = [...new Set(found.flatMap(({ points }) => points.map((point) => point.x)))].sort((a, b) => a - b);
  const lines = found.map(({ cell, points }) => {
    const before = middle(points.slice(0, Math.max(1, Math.ceil(points.length / 4))).map((point) => point.y));
    const values = new Map(points.map((point) => [point.x, point.y / before]));
    return { name: cellName(cell), values: xs.map((x) => values.get(x) ?? null) };
  });
  return { xs, lines };
}

// The evidence of a drift as curves. The period of the observations is not known beforehand: asks
// for a day in coarse buckets first, then for what it found in fine ones.
function Evidence(props: { machine: string; drift: Drift }) {
  const cells = (props.drift.evidence ?? []).slice(0, MOST_CELLS);
  const foundMs = new Date(props.drift.createTime ?? 0).getTime();
  const question = { machine: props.machine, library: props.drift.library, collective: props.drift.collective };
  const coarse = useCall<{ times?: ObservedTimes[] }>('HistoryService/SummarizeObservations', {
    ...question, startTime: new Date(foundMs - BEFORE_MS).toISOString(), endTime: new Date(foundMs + HOUR_MS).toISOString(), bucketS: 60,
  });
  const starts = (coarse.data?.times ?? []).filter((row) => cells.some((cell) => isOf(row, cell))).map((row) => new Date(row.startTime ?? 0).getTime());
  const [from, to] = [Math.min(...starts), Math.max(...starts) + 60_000];
  const fine = useCall<{ times?: ObservedTimes[] }>('HistoryService/SummarizeObservations', starts.length === 0 ? null : {
    ...question, startTime: new Date(from).toISOString(), endTime: new Date(to).toISOString(), bucketS: Math.max(1, Math.round((to - from) / 1000 / POINTS)),
  });
  const { xs, lines } = evidenceSeries(fine.data?.times ?? [], cells);
  return (
    <div class="evidence">
      <Progress of={[coarse, fine]} />
      {coarse.data && (starts.length === 0 || (fine.data && lines.length === 0)) && (
        <p class="hint">The observations behind this drift are older than a day before it was found, or were forgotten.</p>
      )}
      {lines.length > 0 && (
        <Chart
          title="Time against before" xName="time" yName="time against before" time xs={xs} height={220} file={`drift-${num(props.drift.id)}`}
          lines={lines.map((line) => ({ ...line, points: xs.length < 3 }))}
          xText={(x) => new Date(x * 1000).toLocaleString()} yText={(y) => `${Number(y.toPrecision(3))}×`}
          marks={foundMs / 1000 <= (xs[xs.length - 1] ?? 0) ? [{ x: foundMs / 1000, text: 'found' }] : []}
        />
      )}
    </div>
  );
}

function OneDrift(props: { machine: string; drift: Drift }) {
  const { drift } = props;
  const [open, setOpen] = useState(false);
  const factor = drift.factor ?? 1;
  return (
    <li>
      <time dateTime={drift.createTime}>{whenText(drift.createTime)}</time>
      <Badge tone={factor > 1 ? 'bad' : 'good'}>{factor >= 1 ? `${factor.toFixed(2)} times as long` : `${(1 / factor).toFixed(2)} times as fast`}</Badge>
      <span>
        {drift.collective || 'all collectives'} of {drift.library || 'all libraries'}, level {drift.level}, {sizesText(drift)}, shown by {countText(num(drift.observationCount))} observations{' '}
        {(drift.evidence ?? []).length > 0 && (
          <button type="button" class="link" aria-expanded={open} onClick={() => setOpen(!open)}>{open ? 'Hide the evidence' : 'Show the evidence'}</button>
        )}
      </span>
      {open && <Evidence machine={props.machine} drift={drift} />}
    </li>
  );
}

export function Drifts(props: { machine: string }) {
  const asked = useCall<{ drifts?: Drift[] }>('ObservationService/ListDrifts', { parent: `machines/${props.machine}` }, 30_000);
  const drifts = asked.data?.drifts ?? [];
  return (
    <Card title="Drifts" hint="When times changed lastingly, and where. The newest is first.">
      <Progress of={[asked]} />
      {asked.data && drifts.length === 0 && <Empty title="No drift: times have stayed as they were learned." />}
      {drifts.length > 0 && (
        <ol class="timeline drifts">
          {drifts.map((drift) => <OneDrift key={num(drift.id)} machine={props.machine} drift={drift} />)}
        </ol>
      )}
    </Card>
  );
}
