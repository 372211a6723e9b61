// What tuning has saved, as canaries show it: for the pages Fleet, Machine and Jobs.
import { useEffect, useState } from 'preact/hooks';
import { call } from '../api/connect';
import { num, type Savings, type SavingsRow, type Withdrawal } from '../api/types';
import { useCall } from '../base/hooks';
import { bytesText, countText, durationText, percentText, whenText } from '../base/units';
import { Badge, Card, Command, Empty, Progress, Select, type Tone } from '../parts/common';

export const DAYS = 7;
const DAY_MS = 86_400_000;
const FLEET_EVERY_MS = 300_000;

// The start of a period that ends now; in whole minutes, so that the same question is not a new one
// at each drawing.
export const periodStart = (days: number, nowMs = Date.now()): string =>
  new Date(Math.floor(nowMs / 60_000) * 60_000 - days * DAY_MS).toISOString();

export const isCompared = (row: SavingsRow | undefined): boolean => (row?.comparedCallCount ?? 0) > 0;

// The interval is on one side of zero: better or worse for certain.
export function savedTone(row: SavingsRow | undefined): Tone {
  if (!isCompared(row) || row?.intervalS?.length !== 2) return 'plain';
  const [low, high] = row.intervalS as [number, number];
  return low > 0 ? 'good' : high < 0 ? 'bad' : 'plain';
}

// What several machines saved together. They are independent, so the squares of intervals add up.
export function sumOf(rows: (SavingsRow | undefined)[]): SavingsRow {
  const compared = rows.filter(isCompared) as SavingsRow[];
  const total = (read: (row: SavingsRow) => number) => compared.reduce((sum, row) => sum + read(row), 0);
  const savedS = total((row) => row.savedS ?? 0);
  const half = Math.sqrt(total((row) => (row.intervalS?.length === 2 ? (((row.intervalS[1] as number) - (row.intervalS[0] as number)) / 2) ** 2 : NaN)));
  return { savedS, comparedCallCount: total((row) => row.comparedCallCount ?? 0), intervalS: Number.isNaN(half) ? [] : [savedS - half, savedS + half] };
}

export const intervalText = (row: SavingsRow, share = 1): string =>
  row.intervalS?.length === 2
    ? `${durationText((row.intervalS[0] as number) * share)} to ${durationText((row.intervalS[1] as number) * share)}`
    : 'not known: too few canaries';

// `days`: the savings of how many days `row` has. In words, for a cell and its tooltip.
export function savedPerDay(row: SavingsRow | undefined, days = DAYS): { text: string; title: string } {
  if (row === undefined) return { text: '…', title: 'coxd computes it' };
  if (!isCompared(row)) {
    return (row.callCount ?? 0) > 0
      ? { text: 'no canaries', title: 'Jobs run tuned calls, but none by the default to compare with: cox run --canary 5%' }
      : { text: '–', title: `no tuned call in the last ${days} days` };
  }
  return {
    text: durationText((row.savedS ?? 0) / days),
    title: `saved in the last ${days} days: ${durationText(row.savedS ?? 0)}, 90 % within ${intervalText(row)}; ` +
      `${percentText((row.comparedCallCount ?? 0) / (row.callCount || 1))} of ${countText(Math.round(row.callCount ?? 0))} tuned calls were compared`,
  };
}

// Midnight in the browser's zone, DAYS days ago with today.
export function firstDay(nowMs = Date.now()): Date {
  const day = new Date(nowMs);
  day.setHours(0, 0, 0, 0);
  day.setDate(day.getDate() - (DAYS - 1));
  return day;
}

export interface Day {
  startMs: number;
  savedS?: number; // absent: no call was compared
  halfS?: number; // 90 % within savedS +- halfS; absent: not known
}

// What was saved on each of the last DAYS days, of one machine or of several together. Answers to
// GetSavings with buckets of a day.
export function savedByDay(answers: Savings[], first: Date): Day[] {
  const days = Array.from({ length: DAYS }, (_, i) => {
    const start = new Date(first);
    start.setDate(start.getDate() + i);
    return { startMs: start.getTime(), rows: [] as SavingsRow[] };
  });
  for (const row of answers.flatMap((answer) => answer.rows ?? [])) {
    if (row.startTime === undefined || !isCompared(row)) continue;
    // Noon of the bucket is on the right day, in weeks with a change of the clock, too.
    const noonMs = new Date(row.startTime).getTime() + DAY_MS / 2;
    days.findLast((one) => one.startMs <= noonMs)?.rows.push(row);
  }
  return days.map(({ startMs, rows }) => {
    if (rows.length === 0) return { startMs };
    const { savedS, intervalS } = sumOf(rows);
    return { startMs, savedS, halfS: intervalS?.length === 2 ? (intervalS[1] as number) - (savedS as number) : undefined };
  });
}

const dayText = (day: Day) => new Date(day.startMs).toLocaleDateString(undefined, { weekday: 'short', day: 'numeric', month: 'short' });

export const dayTitle = (day: Day): string =>
  day.savedS === undefined
    ? `${dayText(day)}: nothing was compared`
    : `${dayText(day)}: ${durationText(day.savedS)}${day.halfS === undefined ? '' : `, 90 % within ±${durationText(day.halfS)}`}`;

// A bar for each day, up for saved and down for lost; with `labels`, also values, names and
// whiskers of the 90 % intervals.
export function DayBars(props: { days: Day[]; what: string; labels?: boolean }) {
  const { days, labels } = props;
  const [width, height, foot] = labels ? [100, 150, 20] : [100, 26, 0];
  const reach = (sign: number) => Math.max(0, ...days.map((day) => sign * (day.savedS ?? 0) + (labels ? (day.halfS ?? 0) : 0)));
  const [up, down] = [reach(1), reach(-1)];
  if (up + down === 0) return null;
  const head = labels ? 18 : 1;
  const yOf = (value: number) => head + ((up - value) / (up + down)) * (height - head - foot - 1);
  const step = width / days.length;
  const x = (i: number, share: number) => `${(i + share) * step}%`;
  return (
    <svg class={labels ? 'days' : 'days small'} width={labels ? '100%' : 76} height={height} role="img" aria-label={`Saved by day ${props.what}: ${days.map(dayTitle).join('; ')}`}>
      <line class="axis" x1="0" x2="100%" y1={yOf(0)} y2={yOf(0)} />
      {days.map((day, i) => {
        const value = day.savedS ?? 0;
        const tall = Math.max(1, Math.abs(yOf(value) - yOf(0)));
        return (
          <g key={day.startMs}>
            {!labels && <title>{dayTitle(day)}</title>}
            {day.savedS !== undefined && <rect class={value < 0 ? 'lost' : 'saved'} x={x(i, 0.2)} width={`${0.6 * step}%`} y={value < 0 ? yOf(0) : yOf(0) - tall} height={tall} />}
            {labels && day.halfS !== undefined && <line class="whisker" x1={x(i, 0.5)} x2={x(i, 0.5)} y1={yOf(value - day.halfS)} y2={yOf(value + day.halfS)} />}
            {labels && <text x={x(i, 0.5)} y={Math.max(12, Math.min(yOf(0), yOf(value + (day.halfS ?? 0))) - 5)}>{day.savedS === undefined ? '–' : durationText(value)}</text>}
            {labels && <text class="name" x={x(i, 0.5)} y={height - 4}>{new Date(day.startMs).toLocaleDateString(undefined, { weekday: 'short' })}</text>}
          </g>
        );
      })}
    </svg>
  );
}

// What each machine saved in the last DAYS days, in all and by day. Asks about one machine after the other: an answer
// may take a second.
export function useFleetSavings(machines: string[]): Map<string, Savings> {
  const [found, setFound] = useState(new Map<string, Savings>());
  const [round, setRound] = useState(0);
  const key = machines.join(' ');
  useEffect(() => {
    const abort = new AbortController();
    const ask = async () => {
      const startTime = firstDay().toISOString();
      for (const machine of machines) {
        const savings = await call<Savings>('HistoryService/GetSavings', { machine, startTime, bucketS: DAY_MS / 1000 }, abort.signal)
          .catch(() => undefined);
        if (abort.signal.aborted) return;
        if (savings !== undefined) setFound((old) => new Map(old).set(machine, savings));
      }
    };
    void ask();
    const timer = setTimeout(() => setRound((n) => n + 1), FLEET_EVERY_MS);
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [key, round]);
  return found;
}

// What the rows below the sum divide it by: the request's field, the row's, the heading, and the sum's name.
const DIVISIONS = {
  collective: { by: 'byCollective', head: 'Collective', all: 'all collectives' },
  application: { by: 'byApplication', head: 'Application', all: 'all applications' },
} as const;
type Division = keyof typeof DIVISIONS;

function Rows(props: { rows: SavingsRow[]; division: Division }) {
  const { division } = props;
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={`Savings by ${division}`}>
      <table class="list">
        <thead>
          <tr>
            <th scope="col">{DIVISIONS[division].head}</th>
            <th scope="col" class="number">Tuned calls</th>
            <th scope="col" class="number">Compared</th>
            <th scope="col" class="number">Took</th>
            <th scope="col" class="number">Saved</th>
            <th scope="col">90 % within</th>
            <th scope="col" class="number">Of the default's time</th>
          </tr>
        </thead>
        <tbody>
          {props.rows.map((row, i) => {
            const compared = isCompared(row);
            const of = (row.savedS ?? 0) / ((row.savedS ?? 0) + (row.spentS ?? 0) || 1);
            return (
              <tr key={i === 0 ? '' : `of ${row[division] ?? ''}`}>
                <th scope="row">{i === 0 ? DIVISIONS[division].all : row[division] || 'of others'}</th>
                <td class="number">{countText(Math.round(row.callCount ?? 0))}</td>
                <td class="number" title={`${countText(Math.round(row.canaryCallCount ?? 0))} canaries`}>{percentText((row.comparedCallCount ?? 0) / (row.callCount || 1))}</td>
                <td class="number" title={`${row.spentS ?? 0} s`}>{compared ? durationText(row.spentS ?? 0) : '–'}</td>
                <td class={`number ${{ good: 'better', bad: 'worse', warn: '', plain: '' }[savedTone(row)]}`} title={`${row.savedS ?? 0} s; times the ranks of each call: ${row.savedRankS ?? 0} s`}>{compared ? durationText(row.savedS ?? 0) : '–'}</td>
                <td>{compared ? intervalText(row) : 'no canaries'}</td>
                <td class="number">{compared ? `${of < 0 ? '−' : ''}${percentText(Math.abs(of))}` : '–'}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

export const withdrawalText = (one: Withdrawal): string =>
  `${one.collective} of ${bytesText(num(one.minBlockBytes))} to ${bytesText(num(one.maxBlockBytes))} on ${num(one.nodes)} × ${num(one.ppn)} ranks ` +
  `with ${one.library}: ${(one.factor ?? 1).toFixed(2)} times the default's time in ${num(one.pairCount)} comparisons by ${num(one.jobCount) === 1 ? 'a job' : `${num(one.jobCount)} jobs`}`;

function Withdrawals(props: { withdrawals: Withdrawal[] }) {
  if (props.withdrawals.length === 0) return null;
  return (
    <>
      <h3>Withdrawn</h3>
      <p class="hint">Canaries showed these algorithms to be slower than the default. They are not recommended until a new profile or a drift.</p>
      <ol class="timeline">
        {props.withdrawals.map((one) => (
          <li key={num(one.id)}>
            <time dateTime={one.createTime}>{whenText(one.createTime)}</time>
            <Badge tone={one.ended ? 'plain' : 'bad'}>{one.algorithm}{one.ended ? ', ended' : ''}</Badge>
            <span>{withdrawalText(one)}</span>
          </li>
        ))}
      </ol>
    </>
  );
}

const PERIODS: Record<string, number> = { 'the last day': 1, 'the last week': DAYS, 'the last month': 30 };

export function SavingsCard(props: { machine: string }) {
  const [period, setPeriod] = useState('the last week');
  const days = PERIODS[period] ?? DAYS;
  const [startTime, setStartTime] = useState(periodStart(days));
  const [division, setDivision] = useState<Division>('collective');
  const asked = useCall<Savings>('HistoryService/GetSavings', { machine: props.machine, startTime, [DIVISIONS[division].by]: true });
  const rows = asked.data?.rows ?? [];
  const all = rows[0];
  const choose = (next: string) => {
    setPeriod(next);
    setStartTime(periodStart(PERIODS[next] ?? DAYS));
  };
  return (
    <Card
      title="What tuning saves"
      hint="The time that the library's default would have taken for the tuned calls, less the time that they took. Canaries show it: calls or jobs that ran the default at random."
      tools={
        <>
          <Select label="Rows by" value={division} options={Object.keys(DIVISIONS)} onChange={(next) => setDivision(next as Division)} />
          <Select label="Period" value={period} options={Object.keys(PERIODS)} onChange={choose} />
        </>
      }
    >
      <Progress of={[asked]} />
      {asked.data && (all?.callCount ?? 0) === 0 && (
        <Empty title={`No tuned call in ${period}.`}>
          <p>Run jobs with the chosen algorithms, and a share of calls by the default to compare with.</p>
          <Command text={`cox run --machine ${props.machine} --mode apply --canary 5% -- mpirun -n 64 ./app`} />
        </Empty>
      )}
      {(all?.callCount ?? 0) > 0 && !isCompared(all) && (
        <Empty title="Tuned calls ran, but no canaries to compare with.">
          <Command text={`cox run --machine ${props.machine} --mode apply --canary 5% -- mpirun -n 64 ./app`} />
        </Empty>
      )}
      {isCompared(all) && <Rows rows={rows} division={division} />}
      {asked.data?.truncated && <p class="hint">Older observations were not read: choose a shorter period for exact sums.</p>}
      <Withdrawals withdrawals={asked.data?.withdrawals ?? []} />
    </Card>
  );
}
