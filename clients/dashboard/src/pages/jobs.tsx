// Jobs: what they called, what ran, and what it cost against the library's default.
import { useState } from 'preact/hooks';
import { bareName, type Job, num, type ObservedTimes } from '../api/types';
import { useCall, useNow } from '../base/hooks';
import { setParams, useRoute } from '../base/route';
import { agoText, bytesText, countText, percentText, timeText, whenText } from '../base/units';
import { Badge, Card, Command, Empty, Field, Progress, Select, Stat } from '../parts/common';
import { useObserved } from './observed';

const PAGE = 200;
const DAYS: Record<string, number> = { 'all time': 0, 'the last day': 1, 'the last week': 7, 'the last month': 30 };

const cellKey = (row: ObservedTimes) =>
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

const SAME = 0.005;

// "2.00× as fast", in the colour of better or worse where it is more than rounding.
function Against(props: { ratio: number | undefined }) {
  if (props.ratio === undefined) return <td class="number">–</td>;
  if (Math.abs(props.ratio - 1) < SAME) return <td class="number">as fast</td>;
  return <td class={`number ${props.ratio > 1 ? 'better' : 'worse'}`}>{props.ratio.toFixed(2)}× as fast</td>;
}

function Change(props: { change: number | undefined }) {
  if (props.change === undefined) return <td class="number">–</td>;
  if (Math.abs(props.change) < SAME) return <td class="number">none</td>;
  return <td class={`number ${props.change < 0 ? 'better' : 'worse'}`}>{props.change > 0 ? '+' : '−'}{percentText(Math.abs(props.change))}</td>;
}

const totalOf = (rows: ObservedTimes[]) => rows.reduce((sum, row) => sum + (row.totalTimeS ?? 0), 0);

const useSummary = (job: string) =>
  useCall<{ times?: ObservedTimes[]; truncated?: boolean }>('HistoryService/SummarizeObservations', job === '' ? null : { job }, 10_000);

function Detail(props: { job: Job; jobs: Job[] }) {
  const { params } = useRoute();
  const machine = bareName(props.job.machines?.[0] ?? '');
  const asked = useSummary(props.job.name);
  const other = params.get('with') ?? '';
  const compared = useSummary(other);
  const observed = useObserved(machine, 10_000);
  const rows = asked.data?.times ?? [];
  const calls = compareWithDefault(rows, observed.data ?? []);
  const saved = calls.reduce((sum, each) => sum + (each.savedS ?? 0), 0);
  const judged = calls.filter((each) => each.savedS !== undefined);
  const before = new Map((compared.data?.times ?? []).map((row) => [cellKey(row), row]));
  const total = totalOf(rows);
  const largest = Math.max(...rows.map((row) => row.totalTimeS ?? 0), 1e-12);
  return (
    <Card title={`Job ${props.job.name}`} tools={
      <Select label="Compare with" value={other} options={[{ value: '', label: 'nothing' }, ...props.jobs.filter((job) => job.name !== props.job.name).map((job) => job.name)]} onChange={(value) => setParams({ with: value })} />
    }>
      <Progress of={[asked, compared, observed]} />
      <dl class="stats">
        <Stat label="Machine" value={machine} />
        <Stat label="From" value={props.job.source || 'unknown'} />
        <Stat label="Ran" value={whenText(props.job.firstTime)} />
        <Stat label="Time in timed collectives" value={timeText(total)} title={`${total} s`} />
        <Stat label="Saved against the default" value={judged.length === 0 ? '–' : timeText(saved)} title="Median of the default in the same scenario minus the job's median, times its calls" tone={judged.length === 0 ? 'plain' : saved >= 0 ? 'good' : 'bad'} />
        <Stat label="Timings dropped" value={countText(num(props.job.droppedCount))} tone={num(props.job.droppedCount) > 0 ? 'warn' : 'plain'} />
      </dl>
      {asked.data?.truncated && <p class="hint">Only the newest observations of this job are summed up here.</p>}
      <div class="scroll" tabIndex={0} role="region" aria-label={`Collectives of ${props.job.name}`}>
        <table class="list">
          <thead>
            <tr>
              <th scope="col">Collective</th>
              <th scope="col">Ran</th>
              <th scope="col" class="number">Calls</th>
              <th scope="col">Share of the time</th>
              <th scope="col" class="number">Median</th>
              <th scope="col" class="number">10–90 %</th>
              <th scope="col" class="number">Default</th>
              <th scope="col" class="number">Against default</th>
              {other !== '' && <th scope="col" class="number">{other}</th>}
              {other !== '' && <th scope="col" class="number">Change</th>}
            </tr>
          </thead>
          <tbody>
            {calls.map(({ row, defaultTimeS, savedS }) => {
              const earlier = before.get(cellKey(row));
              const against = defaultTimeS && row.medianTimeS ? defaultTimeS / row.medianTimeS : undefined;
              const change = earlier?.medianTimeS && row.medianTimeS ? row.medianTimeS / earlier.medianTimeS - 1 : undefined;
              return (
                <tr key={cellKey(row) + row.algorithm}>
                  <th scope="row">{row.collective} <small>{bytesText(num(row.blockBytes))}, {countText(num(row.ranks))} ranks</small></th>
                  <td>{row.algorithm === 'default' ? <Badge tone="plain">default</Badge> : <Badge tone="good">{row.algorithm}</Badge>}</td>
                  <td class="number">{countText(num(row.timingCount))}</td>
                  <td><meter min={0} max={largest} value={row.totalTimeS ?? 0} aria-label={`${timeText(row.totalTimeS)} in all`} /> {percentText((row.totalTimeS ?? 0) / (total || 1))}</td>
                  <td class="number" title={`${row.medianTimeS ?? '?'} s`}>{timeText(row.medianTimeS)}</td>
                  <td class="number">{timeText(row.p10TimeS)} – {timeText(row.p90TimeS)}</td>
                  <td class="number">{row.algorithm === 'default' ? '–' : timeText(defaultTimeS)}</td>
                  <Against ratio={savedS === undefined ? undefined : against} />
                  {other !== '' && <td class="number">{timeText(earlier?.medianTimeS)}{earlier && <small>{earlier.algorithm}</small>}</td>}
                  {other !== '' && <Change change={change} />}
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </Card>
  );
}

export function Jobs() {
  const { params } = useRoute();
  const nowMs = useNow();
  const [search, setSearch] = useState('');
  const period = params.get('period') ?? 'all time';
  const days = DAYS[period] ?? 0;
  // In whole minutes, so that the same question is not a new one at each drawing.
  const startTime = days === 0 ? undefined : new Date(Math.floor(nowMs / 60_000) * 60_000 - days * 86_400_000).toISOString();
  const asked = useCall<{ jobs?: Job[]; nextPageToken?: string }>('HistoryService/ListJobs', { pageSize: PAGE, startTime }, 5000);
  const jobs = asked.data?.jobs ?? [];
  const shown = jobs.filter((job) => `${job.name} ${job.source ?? ''} ${(job.machines ?? []).join(' ')}`.toLowerCase().includes(search.toLowerCase()));
  const chosen = jobs.find((job) => job.name === params.get('job')) ?? shown[0];
  return (
    <>
      <h1>Jobs</h1>
      <Progress of={[asked]} />
      {asked.data && jobs.length === 0 && period === 'all time' && (
        <Empty title="No job has reported yet.">
          <p>Run a program under the agent; it needs no recompilation.</p>
          <Command text="cox run --machine mycluster --mode observe -- mpirun -n 64 ./app" />
        </Empty>
      )}
      {asked.data && (jobs.length > 0 || period !== 'all time') && (
        <Card title="Reported" hint={asked.data.nextPageToken ? `The latest ${PAGE} jobs.` : undefined} tools={<>
          <Select label="Period" value={period} options={Object.keys(DAYS)} onChange={(value) => setParams({ period: value })} />
          <Field label="Search">{(id) => <input id={id} type="search" value={search} onInput={(event) => setSearch(event.currentTarget.value)} />}</Field>
        </>}>
          <div class="scroll short" tabIndex={0} role="region" aria-label="Jobs">
            <table class="list">
              <thead><tr><th scope="col">Job</th><th scope="col">Machine</th><th scope="col">From</th><th scope="col">Last heard</th><th scope="col" class="number">Observations</th></tr></thead>
              <tbody>
                {shown.map((job) => (
                  <tr key={job.name} class={job === chosen ? 'chosen' : ''}>
                    <th scope="row"><button type="button" class="link" aria-pressed={job === chosen} onClick={() => setParams({ job: job.name })}>{job.name}</button></th>
                    <td>{(job.machines ?? []).map(bareName).join(', ')}</td>
                    <td>{job.source || '–'}</td>
                    <td title={whenText(job.lastTime)}>{agoText(job.lastTime, nowMs)}</td>
                    <td class="number">{countText(num(job.observationCount))}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          {shown.length === 0 && <p class="hint">No job matches.</p>}
        </Card>
      )}
      {chosen && <Detail job={chosen} jobs={jobs} />}
    </>
  );
}
