// Jobs: what they called, what ran, and what it cost against the library's default.
import { useEffect, useMemo, useState } from 'preact/hooks';
import { call } from '../api/connect';
import { bareName, type Job, num, type ObservedTimes, type Savings } from '../api/types';
import { type Asked, useAsk, useCall, useNow } from '../base/hooks';
import { setParams, useRoute } from '../base/route';
import { agoText, bytesText, countText, durationText, percentText, timeText, whenText } from '../base/units';
import { Chart } from '../parts/chart';
import { Badge, Card, Command, Empty, Field, Progress, Select, Stat, useFirst } from '../parts/common';
import { Against, type CallRow, cellKey, compareWithDefault, SAME } from './calls';
import { useObservedOf } from './observed';
import { intervalText, isCompared, savedTone } from './savings';
import { Trials } from './trials';

const PAGE = 200;
const LARGEST_PAGE = 1000;
const MOST_PAGES = 20;
const DAYS: Record<string, number> = { 'all time': 0, 'the last day': 1, 'the last week': 7, 'the last month': 30 };

// What the names of an application's runs begin with: "wave-07" -> "wave".
export const stemOf = (name: string): string => /^.[^-_.@:/0-9]*/.exec(name)?.[0] ?? name;

// The time of each run's calls against the first run, over the scenarios that both called: the sum
// of medians, weighed by the first run's calls. Undefined where they have none in common.
export function runRatios(runs: ObservedTimes[][]): (number | undefined)[] {
  const ofRun = runs.map((rows) => {
    const cells = new Map<string, { timings: number; totalS: number }>();
    for (const row of rows) {
      const cell = cells.get(cellKey(row)) ?? { timings: 0, totalS: 0 };
      cells.set(cellKey(row), { timings: cell.timings + num(row.timingCount), totalS: cell.totalS + num(row.timingCount) * (row.medianTimeS ?? 0) });
    }
    return cells;
  });
  const first = ofRun[0];
  return ofRun.map((cells) => {
    let [here, there] = [0, 0];
    for (const [key, cell] of first ?? []) {
      const own = cells.get(key);
      if (own === undefined || own.timings === 0) continue;
      here += (own.totalS / own.timings) * cell.timings;
      there += cell.totalS;
    }
    return there > 0 ? here / there : undefined;
  });
}

function Change(props: { change: number | undefined }) {
  if (props.change === undefined) return <td class="number">–</td>;
  if (Math.abs(props.change) < SAME) return <td class="number">none</td>;
  return <td class={`number ${props.change < 0 ? 'better' : 'worse'}`}>{props.change > 0 ? '+' : '−'}{percentText(Math.abs(props.change))}</td>;
}

const sizeKey = (row: ObservedTimes) => [row.library, row.collective, row.algorithm, num(row.nodes), num(row.ppn), num(row.ranks), num(row.blockBytes)].join('/');

// Calls that only the size of their elements tells apart.
export function severalElements(rows: ObservedTimes[]): Set<string> {
  const first = new Map<string, number>();
  const several = new Set<string>();
  for (const row of rows) {
    const known = first.get(sizeKey(row));
    if (known === undefined) first.set(sizeKey(row), num(row.typeBytes));
    else if (known !== num(row.typeBytes)) several.add(sizeKey(row));
  }
  return several;
}

const totalOf = (rows: ObservedTimes[]) => rows.reduce((sum, row) => sum + (row.totalTimeS ?? 0), 0);

// The machine of a job to show: the one of the address, if the job ran there.
export function machineOf(job: Job | undefined, wanted: string): string {
  const machines = (job?.machines ?? []).map(bareName);
  return machines.includes(wanted) ? wanted : (machines[0] ?? '');
}

const useSummary = (job: string, machine: string) =>
  useCall<{ times?: ObservedTimes[]; truncated?: boolean }>('HistoryService/SummarizeObservations', job === '' ? null : { job, machine }, 10_000);

interface JobPage {
  jobs?: Job[];
  nextPageToken?: string;
}

// Looks through the jobs from the latest on, as far as MOST_PAGES.
export async function findJob(name: string, signal?: AbortSignal): Promise<{ job?: Job }> {
  let pageToken = '';
  for (let page = 0; page < MOST_PAGES; ++page) {
    const answer = await call<JobPage>('HistoryService/ListJobs', { pageSize: LARGEST_PAGE, pageToken }, signal);
    const job = answer.jobs?.find((each) => each.name === name);
    pageToken = answer.nextPageToken ?? '';
    if (job !== undefined || pageToken === '') return { job };
  }
  return {};
}

// A job of the list, or else an older one.
function useJob(name: string, jobs: Job[] | undefined): Pick<Asked<{ job?: Job }>, 'data' | 'error' | 'slow'> {
  const job = jobs?.find((each) => each.name === name);
  const asked = useAsk(name === '' || jobs === undefined || job !== undefined ? null : `job ${name}`, (signal) => findJob(name, signal));
  return job === undefined ? asked : { data: { job }, slow: false };
}

const MOST_RUNS = 12;

// The runs of one application, as time against the first of them.
function Runs(props: { job: Job; machine: string; jobs: Job[] }) {
  const { params } = useRoute();
  const stem = params.get('runs') ?? stemOf(props.job.name);
  const runs = props.jobs
    .filter((job) => stem !== '' && job.name.startsWith(stem) && machineOf(job, props.machine) === props.machine)
    .sort((a, b) => (a.firstTime ?? '').localeCompare(b.firstTime ?? '')).slice(-MOST_RUNS);
  const names = runs.map((job) => job.name);
  const asked = useAsk(names.length < 2 ? null : `runs ${props.machine} ${names.join(' ')}`, async (signal) => {
    const all: ObservedTimes[][] = [];
    for (const job of names) all.push((await call<{ times?: ObservedTimes[] }>('HistoryService/SummarizeObservations', { job, machine: props.machine }, signal)).times ?? []);
    return all;
  });
  const ratios = runRatios(asked.data ?? []);
  const tunedOf = (rows: ObservedTimes[]) => {
    const tuned = rows.filter((row) => row.algorithm !== 'default');
    return totalOf(tuned) / (totalOf(rows) || 1);
  };
  return (
    <Card
      title="Runs of this application"
      hint="The time of a run's collectives against the first run, over the calls that both made: 0.5 is half the time."
      tools={<Field label="Jobs whose name begins with">{(id) => (
        <input id={id} type="text" value={stem} onChange={(event) => setParams({ runs: event.currentTarget.value })} />
      )}</Field>}
    >
      <Progress of={[asked]} />
      {names.length < 2 && <p class="hint">Only one job begins so. Run the application again under the agent, with a job name that begins alike (COX_JOB).</p>}
      {asked.data && (
        <div class="split">
          <div class="scroll" tabIndex={0} role="region" aria-label="Runs">
            <table class="list">
              <thead><tr><th scope="col" class="number">Run</th><th scope="col">Job</th><th scope="col">When</th><th scope="col" class="number">Tuned</th><th scope="col" class="number">Time against the first</th></tr></thead>
              <tbody>
                {runs.map((job, i) => (
                  <tr key={job.name} class={job.name === props.job.name ? 'chosen' : ''}>
                    <td class="number">{i + 1}</td>
                    <th scope="row"><button type="button" class="link" onClick={() => setParams({ job: job.name })}>{job.name}</button></th>
                    <td>{whenText(job.firstTime)}</td>
                    <td class="number" title="share of the time in calls of another algorithm than the default">{percentText(tunedOf(asked.data?.[i] ?? []))}</td>
                    <td class={`number ${(ratios[i] ?? 1) < 1 - SAME ? 'better' : (ratios[i] ?? 1) > 1 + SAME ? 'worse' : ''}`}>{ratios[i] === undefined ? 'no call in common' : `${(ratios[i] as number).toFixed(2)}×`}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          <Chart
            title={`Time of the runs of ${stem}`} xName="run" yName="time against the first run" xs={names.map((_, i) => i + 1)} height={240} file={`runs-${stem}`}
            lines={[{ name: 'time against the first run', values: ratios, points: true }]}
            whole xText={String} yText={(y) => `${Number(y.toPrecision(3))}×`}
          />
        </div>
      )}
    </Card>
  );
}

// The calls with the most time first.
function Calls(props: { job: string; calls: CallRow[]; other: string; before: ObservedTimes[] }) {
  const { calls, other } = props;
  const [first, more] = useFirst(calls);
  const rows = calls.map(({ row }) => row);
  const before = new Map(props.before.map((row) => [cellKey(row), row]));
  const differ = severalElements(rows);
  const total = totalOf(rows);
  const largest = Math.max(calls[0]?.row.totalTimeS ?? 0, 1e-12);
  return (
    <>
      <div class="scroll" tabIndex={0} role="region" aria-label={`Collectives of ${props.job}`}>
        <table class="list">
          <thead>
            <tr>
              <th scope="col">Collective</th>
              <th scope="col">Ran</th>
              <th scope="col" class="number" title="of all ranks that report a call">Timings</th>
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
            {first.map(({ row, defaultTimeS, savedS }) => {
              const earlier = before.get(cellKey(row));
              const against = defaultTimeS && row.medianTimeS ? defaultTimeS / row.medianTimeS : undefined;
              const change = earlier?.medianTimeS && row.medianTimeS ? row.medianTimeS / earlier.medianTimeS - 1 : undefined;
              return (
                <tr key={cellKey(row) + row.algorithm}>
                  <th scope="row">{row.collective} <small>{bytesText(num(row.blockBytes))}{differ.has(sizeKey(row)) ? ` of ${bytesText(num(row.typeBytes))} elements` : ''}, {countText(num(row.ranks))} ranks</small></th>
                  <td>{row.algorithm === 'default' ? <Badge tone="plain">default</Badge> : <Badge tone="good">{row.algorithm}</Badge>}</td>
                  <td class="number">{countText(num(row.timingCount))}</td>
                  <td class="nowrap"><meter min={0} max={largest} value={row.totalTimeS ?? 0} aria-label={`${timeText(row.totalTimeS)} in all`} /> {percentText((row.totalTimeS ?? 0) / (total || 1))}</td>
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
      {more}
    </>
  );
}

function Detail(props: { job: Job; machine: string; jobs: Job[] }) {
  const { job, machine, jobs } = props;
  const { params } = useRoute();
  const asked = useSummary(job.name, machine);
  const other = params.get('with') ?? '';
  const otherJob = useJob(other, jobs);
  const compared = useSummary(otherJob.data?.job?.name ?? '', machineOf(otherJob.data?.job, machine));
  const rows = asked.data?.times;
  const observed = useObservedOf(machine, rows ?? [], 10_000);
  const canaries = useCall<Savings>('HistoryService/GetSavings', machine === '' ? null : { machine, job: job.name }, 60_000);
  const measured = canaries.data?.rows?.[0];
  const calls = useMemo(() => compareWithDefault(rows ?? [], observed.data?.items ?? []), [rows, observed.data]);
  const saved = calls.reduce((sum, each) => sum + (each.savedS ?? 0), 0);
  const judged = calls.filter((each) => each.savedS !== undefined);
  const total = totalOf(rows ?? []);
  const machines = (job.machines ?? []).map(bareName);
  const others = [...new Set([...jobs.map((each) => each.name), other])].filter((name) => name !== '' && name !== job.name);
  return (
    <>
      <Card title={`Job ${job.name}`} tools={<>
        {machines.length > 1 && <Select label="Machine" value={machine} options={machines} onChange={(value) => setParams({ machine: value })} />}
        <Select label="Compare with" value={other} options={[{ value: '', label: 'nothing' }, ...others]} onChange={(value) => setParams({ with: value })} />
      </>}>
        <Progress of={[asked, otherJob, compared, observed, canaries]} />
        <dl class="stats">
          <Stat label="Machine" value={machine} />
          <Stat label="From" value={job.source || 'unknown'} />
          {num(job.reporterCount) > 1 && <Stat label="Nodes that reported" value={countText(num(job.reporterCount))} />}
          <Stat label="Ran" value={whenText(job.firstTime)} />
          <Stat label="Time in timed collectives" value={asked.data ? timeText(total) : '–'} title={`${total} s, over all ranks that report a call`} />
          <Stat label="Saved, by medians" value={judged.length === 0 ? '–' : timeText(saved)} title="Median of the default in the same scenario minus the job's median, times its timings: over all ranks that report a call" tone={judged.length === 0 ? 'plain' : saved >= 0 ? 'good' : 'bad'} />
          <Stat
            label="Saved, by canaries" value={measured && isCompared(measured) ? durationText(measured.savedS ?? 0) : '–'} tone={savedTone(measured)}
            title={measured && isCompared(measured) ? `Time of calls; 90 % within ${intervalText(measured)}` : 'No canaries: cox run --mode apply --canary 5%'}
          />
          <Stat label="Timings dropped" value={countText(num(job.droppedCount))} tone={num(job.droppedCount) > 0 ? 'warn' : 'plain'} />
        </dl>
        {asked.data?.truncated && <p class="hint">Only the newest observations of this job are summed up here.</p>}
        {observed.data && !observed.data.isWhole && <p class="hint">{machine} has more observed scenarios of these collectives than this page reads: times of the default may be missing.</p>}
        {otherJob.data && otherJob.data.job === undefined && other !== '' && <p class="hint" role="status">There is no job {other}.</p>}
        <Calls job={job.name} calls={calls} other={other} before={compared.data?.times ?? []} />
      </Card>
      {asked.data && <Trials job={job} machine={machine} calls={calls} />}
    </>
  );
}

export const periodOf = (name: string | null): string => (name !== null && Object.hasOwn(DAYS, name) ? name : 'all time');

export function Jobs() {
  const { params } = useRoute();
  const nowMs = useNow();
  const [search, setSearch] = useState('');
  const period = periodOf(params.get('period'));
  const days = DAYS[period] ?? 0;
  // In whole minutes, so that the same question is not a new one at each drawing.
  const startTime = days === 0 ? undefined : new Date(Math.floor(nowMs / 60_000) * 60_000 - days * 86_400_000).toISOString();
  const asked = useCall<JobPage>('HistoryService/ListJobs', { pageSize: PAGE, startTime }, 5000, `jobs ${period}`);
  const jobs = asked.data?.jobs ?? [];
  const shown = jobs.filter((job) => `${job.name} ${job.source ?? ''} ${(job.machines ?? []).join(' ')}`.toLowerCase().includes(search.toLowerCase()));
  const wanted = params.get('job') ?? '';
  const found = useJob(wanted, asked.data && jobs);
  const chosen = found.data?.job;
  const known = chosen === undefined || jobs.includes(chosen) ? jobs : [...jobs, chosen];
  const machine = machineOf(chosen, params.get('machine') ?? '');
  // A link to this page must show the same job when others have come.
  const latest = jobs[0]?.name ?? '';
  useEffect(() => {
    if (wanted === '' && latest !== '') setParams({ job: latest }, true);
  }, [wanted, latest]);
  return (
    <>
      <h1>Jobs</h1>
      <Progress of={[asked, found]} />
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
      {found.data && chosen === undefined && wanted !== '' && (
        <Empty title={`There is no job ${wanted}.`}>
          <p>It is not among the latest {countText(MOST_PAGES * LARGEST_PAGE)} jobs. Choose another one.</p>
        </Empty>
      )}
      {chosen && <Detail key={`${machine} ${chosen.name}`} job={chosen} machine={machine} jobs={known} />}
      {chosen && <Runs key={`runs ${machine} ${chosen.name}`} job={chosen} machine={machine} jobs={known} />}
    </>
  );
}
