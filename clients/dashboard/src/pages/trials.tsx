// What a job tried: algorithms that it was the first to run for a call, or that are not today's
// choice; and what came of them.
import { call } from '../api/connect';
import { type Job, num, type ObservedTimes, type Recommendation } from '../api/types';
import { useAsk } from '../base/hooks';
import { bytesText, countText, timeText } from '../base/units';
import { Badge, Card, Command, Progress, useFirst } from '../parts/common';
import { Against, type CallRow, cellKey } from './calls';

const MOST_QUESTIONS = 1000;

export interface Trial extends CallRow {
  isFirst: boolean; // no earlier timing of this algorithm in this scenario
  choice?: string; // today's; absent: not known
}

const runKey = (row: ObservedTimes) => `${cellKey(row)}/${row.algorithm}`;

// `calls`: of the job. `earlier`: of the machine before the job. `choices`: today's algorithm by
// cellKey().
export function trialsOf(calls: CallRow[], earlier: ObservedTimes[], choices: Map<string, string>): Trial[] {
  const known = new Set(earlier.map(runKey));
  return calls
    .filter(({ row }) => row.algorithm !== 'default')
    .map((each) => ({ ...each, isFirst: !known.has(runKey(each.row)), choice: choices.get(cellKey(each.row)) }))
    .filter((trial) => trial.isFirst || (trial.choice !== undefined && trial.choice !== trial.row.algorithm));
}

// One question for each scenario of the calls, in order.
export function questionsOf(machine: string, rows: ObservedTimes[]) {
  const unique = new Map(rows.filter((row) => row.algorithm !== 'default').map((row) => [cellKey(row), row]));
  return [...unique].slice(0, MOST_QUESTIONS).map(([key, row]) => ({
    key,
    request: {
      machine, library: row.library, collective: row.collective, nodes: row.nodes, ppn: row.ppn, ranks: row.ranks,
      blockBytes: row.blockBytes ?? 0, typeBytes: row.typeBytes,
    },
  }));
}

export function outcomeOf(trial: Trial): { tone: 'good' | 'plain'; text: string } {
  if (trial.choice === undefined) return { tone: 'plain', text: 'no choice today' };
  if (trial.choice === trial.row.algorithm) return { tone: 'good', text: 'chosen since' };
  return { tone: 'plain', text: trial.choice === 'default' ? 'the default stays' : `${trial.choice} is chosen` };
}

function Row(props: { trial: Trial }) {
  const { trial } = props;
  const { row, defaultTimeS, savedS } = trial;
  const outcome = outcomeOf(trial);
  return (
    <tr>
      <th scope="row">{row.collective} <small>{bytesText(num(row.blockBytes))}, {countText(num(row.ranks))} ranks</small></th>
      <td>{row.algorithm}{trial.isFirst && <small>for the first time</small>}</td>
      <td class="number">{countText(num(row.timingCount))}</td>
      <td class="number" title={`${row.medianTimeS ?? '?'} s`}>{timeText(row.medianTimeS)}</td>
      <Against ratio={defaultTimeS && row.medianTimeS ? defaultTimeS / row.medianTimeS : undefined} />
      <td class={`number ${savedS === undefined || savedS === 0 ? '' : savedS > 0 ? 'better' : 'worse'}`}>{savedS === undefined ? '–' : `${savedS < 0 ? 'cost' : 'saved'} ${timeText(Math.abs(savedS))}`}</td>
      <td><Badge tone={outcome.tone}>{outcome.text}</Badge></td>
    </tr>
  );
}

export function Trials(props: { job: Job; machine: string; calls: CallRow[] }) {
  const { job, machine, calls } = props;
  const questions = questionsOf(machine, calls.map((each) => each.row));
  const key = questions.length === 0 || job.firstTime === undefined ? null : `trials ${machine} ${job.name} ${questions.map((each) => each.key).join()}`;
  const asked = useAsk(key, async (signal) => {
    const [before, today] = await Promise.all([
      call<{ times?: ObservedTimes[]; truncated?: boolean }>('HistoryService/SummarizeObservations', { machine, endTime: job.firstTime }, signal),
      call<{ responses?: Recommendation[] }>('AdviceService/BatchRecommend', { requests: questions.map((each) => each.request) }, signal),
    ]);
    const choices = questions.flatMap(({ key: of }, i) => {
      const answer = today.responses?.[i];
      return answer?.algorithm && !answer.error ? [[of, answer.algorithm] as const] : [];
    });
    return { earlier: before.times ?? [], isWhole: !before.truncated, choices: new Map(choices) };
  });
  const trials = asked.data ? trialsOf(calls, asked.data.earlier, asked.data.choices) : [];
  const [first, more] = useFirst(trials);
  return (
    <Card title="Trials" hint="Algorithms that this job was the first to run for a call, or that are not today's choice; and what came of them.">
      <Progress of={[asked]} />
      {(key === null || (asked.data && trials.length === 0)) && (
        <>
          <p>{key === null ? 'This job ran only the default.' : 'This job ran only the default and what is chosen today.'} Let a job try what may be faster, for at most 5 % of its time:</p>
          <Command text={`cox run --machine ${machine} --mode observe --explore 5% -- mpirun -n 64 ./app`} />
        </>
      )}
      {trials.length > 0 && (
        <div class="scroll short" tabIndex={0} role="region" aria-label={`Trials of ${job.name}`}>
          <table class="list">
            <thead>
              <tr>
                <th scope="col">Call</th>
                <th scope="col">Tried</th>
                <th scope="col" class="number" title="of all ranks that report a call">Timings</th>
                <th scope="col" class="number">Median</th>
                <th scope="col" class="number">Against default</th>
                <th scope="col" class="number">In this job</th>
                <th scope="col">Since then</th>
              </tr>
            </thead>
            <tbody>{first.map((trial) => <Row key={runKey(trial.row)} trial={trial} />)}</tbody>
          </table>
        </div>
      )}
      {more}
      {asked.data && !asked.data.isWhole && <p class="hint">Only the newest observations before this job were read: an algorithm may have run even earlier.</p>}
    </Card>
  );
}
