// All machines: what needs attention comes first.
import { useContext } from 'preact/hooks';
import { type MachineState, num, type Savings } from '../api/types';
import { useNow } from '../base/hooks';
import { routeText } from '../base/route';
import { agoText, countText, durationText, whenText } from '../base/units';
import { Badge, Card, Progress, Stat, type Tone } from '../parts/common';
import { Machines, NoMachine, byUse, nameOf } from '../parts/machines';
import { DAYS, DayBars, firstDay, intervalText, isCompared, savedByDay, savedPerDay, savedTone, sumOf, useFleetSavings } from './savings';

const DAY_MS = 86_400_000;

export interface Attention {
  tone: Tone;
  text: string;
  rank: number; // smaller is more urgent
}

// The most urgent thing about a machine.
export function attentionOf(state: MachineState, nowMs: number, savings?: Savings): Attention {
  const since = (when: string | undefined) => (when === undefined ? Infinity : nowMs - new Date(when).getTime());
  const published = state.machine.provenance === 'PROVENANCE_PUBLISHED';
  if (state.lastDrift && since(state.lastDrift.createTime) < 7 * DAY_MS) {
    const factor = state.lastDrift.factor ?? 1;
    return { tone: 'bad', rank: 0, text: `drifted: ${factor >= 1 ? `${factor.toFixed(2)}× slower` : `${(1 / factor).toFixed(2)}× faster`} ${state.lastDrift.collective || 'collectives'}` };
  }
  if (num(state.profileRevision) === 0) return { tone: 'bad', rank: 1, text: 'no profile: calibrate it' };
  if (savedTone(savings?.rows?.[0]) === 'bad') return { tone: 'bad', rank: 1.5, text: 'tuning costs time here: see what it saves' };
  const withdrawn = (savings?.withdrawals ?? []).filter((one) => !one.ended && since(one.createTime) < 7 * DAY_MS).length;
  if (withdrawn > 0) return { tone: 'warn', rank: 2.5, text: `${withdrawn === 1 ? 'an algorithm was' : `${withdrawn} algorithms were`} withdrawn: slower than the default` };
  if (num(state.machine.pinnedRevision) > 0) {
    return { tone: 'warn', rank: 3, text: `pinned to revision ${num(state.machine.pinnedRevision)}: learns nothing` };
  }
  if (published) return { tone: 'plain', rank: 6, text: 'from a publication' };
  if (state.lastObservationTime === undefined) return { tone: 'plain', rank: 5, text: 'no observation yet' };
  return { tone: 'good', rank: 4, text: 'learning' };
}

const provenance = (state: MachineState) =>
  (state.machine.provenance ?? '').replace('PROVENANCE_', '').toLowerCase().replace('unspecified', '') || 'none';

const isRecent = (state: MachineState, nowMs: number) =>
  state.lastObservationTime !== undefined && nowMs - new Date(state.lastObservationTime).getTime() < DAYS * DAY_MS;

function Row(props: { state: MachineState; nowMs: number; savings?: Savings; hasSavings: boolean; isRecent: boolean }) {
  const { state, nowMs, savings } = props;
  const attention = attentionOf(state, nowMs, savings);
  // Nobody asks about a machine without recent timings.
  const saved = savedPerDay(savings?.rows?.[0] ?? (props.isRecent ? undefined : {}));
  const name = nameOf(state);
  const topology = [state.machine.topology?.kind, state.machine.topology?.dims?.join('×')].filter(Boolean).join(' ');
  return (
    <tr>
      <th scope="row" class="nowrap">
        <a href={routeText('machine', { machine: name })}>{name}</a>
        <small>{`${countText(num(state.machine.nodes))} × ${countText(num(state.machine.coresPerNode))} cores${topology ? `, ${topology}` : ''}`}</small>
      </th>
      <td><Badge tone={attention.tone}>{attention.text}</Badge></td>
      <td class="nowrap" title={whenText(state.profileTime)}>
        {num(state.profileRevision) > 0 ? `r${num(state.profileRevision)}, ${provenance(state)}` : 'none'}
        <small>{agoText(state.profileTime, nowMs)}</small>
      </td>
      <td class="number">{countText(num(state.observationCount))}</td>
      <td class="nowrap" title={whenText(state.lastObservationTime)}>{agoText(state.lastObservationTime, nowMs)}</td>
      <td class="number">{countText(num(state.jobCount))}</td>
      <td class="number">{countText(num(state.driftCount))}</td>
      {props.hasSavings && (
        <td class={`number ${{ good: 'better', bad: 'worse', warn: '', plain: '' }[savedTone(savings?.rows?.[0])]}`} title={saved.title}>
          {saved.text} {isCompared(savings?.rows?.[0]) && <DayBars days={savedByDay([savings as Savings], firstDay(nowMs))} what={`on ${name}`} />}
        </td>
      )}
      <td><a class="button quiet" href={routeText('decisions', { machine: name })} aria-label={`Decisions of ${name}`}>Decisions</a></td>
    </tr>
  );
}

function Table(props: { states: MachineState[]; nowMs: number; label: string; savings?: Map<string, Savings> }) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={props.label}>
      <table class="list">
        <thead>
          <tr>
            <th scope="col">Machine</th>
            <th scope="col">State</th>
            <th scope="col">Profile</th>
            <th scope="col" class="number">Observations</th>
            <th scope="col">Last heard</th>
            <th scope="col" class="number">Jobs</th>
            <th scope="col" class="number">Drifts</th>
            {props.savings && <th scope="col" class="number" title={`mean of the last ${DAYS} days, as canaries show`}>Saved per day</th>}
            <th scope="col"><span class="hidden">Links</span></th>
          </tr>
        </thead>
        <tbody>{props.states.map((state) => <Row key={state.name} state={state} nowMs={props.nowMs} savings={props.savings?.get(nameOf(state))} hasSavings={props.savings !== undefined} isRecent={isRecent(state, props.nowMs)} />)}</tbody>
      </table>
    </div>
  );
}

export function Fleet() {
  const asked = useContext(Machines);
  const nowMs = useNow();
  const recent = (asked.data ?? []).filter((state) => isRecent(state, nowMs));
  const savings = useFleetSavings(recent.map(nameOf));
  const rankOf = (state: MachineState) => attentionOf(state, nowMs, savings.get(nameOf(state))).rank;
  const states = [...(asked.data ?? [])].sort((a, b) => rankOf(a) - rankOf(b) || byUse(a, b));
  const own = states.filter((state) => state.machine.provenance !== 'PROVENANCE_PUBLISHED' || state.lastObservationTime !== undefined);
  const published = states.filter((state) => !own.includes(state));
  const sum = (read: (state: MachineState) => number) => own.reduce((total, state) => total + read(state), 0);
  const urgent = own.filter((state) => rankOf(state) < 4).length;
  const compared = [...savings.values()].map((each) => each.rows?.[0]).filter(isCompared);
  const saved = sumOf(compared);
  return (
    <>
      <h1>Fleet</h1>
      <Progress of={[{ error: asked.error, slow: false }]} />
      {asked.data && own.length === 0 && <NoMachine />}
      {own.length > 0 && (
        <>
          <dl class="stats">
            <Stat label="Machines" value={own.length} />
            <Stat label="Need attention" value={urgent} tone={urgent > 0 ? 'warn' : 'good'} />
            <Stat label="Observations" value={countText(sum((state) => num(state.observationCount)))} title={String(sum((state) => num(state.observationCount)))} />
            <Stat label="Jobs that reported" value={countText(sum((state) => num(state.jobCount)))} />
            <Stat
              label="Saved per day" value={compared.length === 0 ? '–' : durationText((saved.savedS ?? 0) / DAYS)} tone={savedTone(saved)}
              title={compared.length === 0 ? 'no canaries: cox run --mode apply --canary 5%' : `time of collectives, mean of the last ${DAYS} days, 90 % within ${intervalText(saved, 1 / DAYS)}, on ${compared.length} machines with canaries`}
            />
            <Stat label="Timings dropped" value={countText(sum((state) => num(state.droppedCount)))} tone={sum((state) => num(state.droppedCount)) > 0 ? 'warn' : 'plain'} />
          </dl>
          {compared.length > 0 && (
            <Card title="Saved per day" hint={`Time of collectives that tuning saved, as canaries show it, with 90 % intervals. The last ${DAYS} days of ${compared.length === 1 ? 'a machine' : `${compared.length} machines`} with canaries.`}>
              <DayBars days={savedByDay([...savings.values()], firstDay(nowMs))} what="on all machines" labels />
            </Card>
          )}
          <Card title="Machines of this site" hint="What needs attention comes first.">
            <Table states={own} nowMs={nowMs} label="Machines of this site" savings={savings} />
          </Card>
        </>
      )}
      {published.length > 0 && (
        <Card title="Published machines" hint="Their parameters come from papers. Try predictions on them; they learn nothing.">
          <Table states={published} nowMs={nowMs} label="Published machines" />
        </Card>
      )}
    </>
  );
}
