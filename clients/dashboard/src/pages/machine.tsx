// One machine: its parameters over revisions, which model is right, when it changed.
import { useEffect, useRef, useState } from 'preact/hooks';
import { call, type CallError } from '../api/connect';
import { type Accuracy, type HeldRevision, type Machine as MachineJson, num, type Parameter, type Profile, type PredictionError } from '../api/types';
import { toError, useCall, useNow } from '../base/hooks';
import { errorStrength } from '../base/palette';
import { setParams, useRoute } from '../base/route';
import { agoText, bytesText, countText, parameterText, percentText, ratioLabel, whenText } from '../base/units';
import { Chart } from '../parts/chart';
import { Badge, Card, Confirm, Empty, Progress, Select, Stat } from '../parts/common';
import { type Cell, HeatMap } from '../parts/heatmap';
import { MachineSelect, NoMachine, useMachine } from '../parts/machines';
import { Drifts } from './drifts';
import { SavingsCard } from './savings';

const REVISIONS = 100;
const MOST_REVISIONS_ASKED = 12;
const REVISIONS_STAY_MS = 300_000;

const keyOf = (parameter: Parameter) => `${parameter.model}.${parameter.level}.${parameter.name}`;

// A parameter's values over the revisions that have it, oldest first.
export function historyOf(profiles: Profile[], key: string) {
  const found = [...profiles].reverse().flatMap((profile) => {
    const parameter = profile.parameters?.find((each) => keyOf(each) === key && !(each.above ?? 0));
    return parameter ? [{ profile, parameter }] : [];
  });
  const band = (sign: 1 | -1) => found.map(({ parameter }) => Math.max(0, (parameter.value ?? 0) + sign * 1.645 * (parameter.stderr ?? 0)));
  return {
    revisions: found.map(({ profile }) => num(profile.revision)),
    values: found.map(({ parameter }) => parameter.value ?? 0),
    low: band(-1),
    high: band(1),
    unit: found[0]?.parameter.unit ?? '',
  };
}

const ratio = (value: number | string | undefined) => (value === undefined ? 0 : Number(value));

export function accuracyCell(error: PredictionError | undefined, selected: boolean): Cell | null {
  if (error === undefined) return null;
  const median = ratio(error.medianError);
  const text = ratioLabel(median);
  return {
    text: selected ? `${text} ✓` : text,
    title: `median error ${percentText(median)}, 90 % of ${countText(num(error.cellCount))} cells at most ${percentText(ratio(error.p90Error))}${selected ? '; this model answers here' : ''}`,
    color: 1,
    strength: errorStrength(median),
    ring: selected,
  };
}

function AccuracyCard(props: { machine: string }) {
  const [bySize, setBySize] = useState(false);
  const asked = useCall<Accuracy>('AdviceService/GetAccuracy', { machine: props.machine, bySize }, 30_000);
  const rows = (asked.data?.rows ?? []).filter((row) => bySize ? num(row.fromBlockBytes) > 0 || num(row.toBlockBytes) > 0 : true);
  const models = [...new Set(rows.flatMap((row) => (row.models ?? []).map((each) => each.model)))];
  const nameOf = (row: (typeof rows)[number]) => {
    const what = row.collective || 'all collectives';
    if (!bySize) return what;
    return `${what}, ${num(row.toBlockBytes) > 0 ? `${bytesText(num(row.fromBlockBytes))} to ${bytesText(num(row.toBlockBytes))}` : `from ${bytesText(num(row.fromBlockBytes))}`}`;
  };
  return (
    <Card
      title="Which model is right"
      hint="The median error of each model against what was observed here: fainter is better. ✓ marks the model that answers."
      tools={<button type="button" class={bySize ? 'primary' : 'quiet'} aria-pressed={bySize} onClick={() => setBySize(!bySize)}>By size</button>}
    >
      <Progress of={[asked]} />
      {asked.data && rows.length === 0 && <Empty title="Nothing to compare yet."><p>Errors appear after the first observations of a known algorithm.</p></Empty>}
      {rows.length > 0 && (
        <HeatMap
          label="Errors of the models"
          columns={models.map((model) => ({ text: model, title: `model ${model}` }))}
          rows={rows.map((row) => ({
            name: nameOf(row),
            cells: models.map((model) => accuracyCell(row.models?.find((each) => each.model === model)?.error, (row.selectedModel || asked.data?.model) === model)),
          }))}
        />
      )}
    </Card>
  );
}

// At most `most` revisions, from the oldest to the newest, evenly spaced.
export function someRevisions(revisions: number[], most: number): number[] {
  const sorted = [...revisions].sort((a, b) => a - b);
  if (sorted.length <= most) return sorted;
  return Array.from({ length: most }, (_, i) => sorted[Math.round((i * (sorted.length - 1)) / (most - 1))] as number);
}

interface RevisionError {
  model?: number; // median error of the model that answers
  leftOut?: number; // of recommendations, each without its own observations
}

export function revisionError(answer: Accuracy): RevisionError {
  const all = answer.rows?.[0];
  const finite = (error: PredictionError | undefined) => {
    const value = error === undefined ? NaN : ratio(error.medianError);
    return Number.isFinite(value) ? value : undefined;
  };
  const selected = all?.selectedModel || answer.model;
  return { model: finite(all?.models?.find((each) => each.model === selected)?.error), leftOut: finite(all?.leftOut) };
}

// Asks about one revision after the other: coxd builds each one's view.
function useRevisionErrors(machine: string, revisions: number[]) {
  const [found, setFound] = useState(new Map<number, RevisionError>());
  const [error, setError] = useState<CallError | undefined>();
  const [busy, setBusy] = useState(false);
  const key = `${machine} ${revisions.join(' ')}`;
  useEffect(() => {
    const abort = new AbortController();
    setFound(new Map());
    setError(undefined);
    const ask = async () => {
      setBusy(true);
      for (const profileRevision of revisions) {
        try {
          const answer = await call<Accuracy>('AdviceService/GetAccuracy', { machine, profileRevision }, abort.signal);
          if (abort.signal.aborted) return;
          setFound((old) => new Map(old).set(profileRevision, revisionError(answer)));
        } catch (caught) {
          if (abort.signal.aborted) return;
          setError(toError(caught));
          break;
        }
      }
      setBusy(false);
    };
    if (revisions.length > 1) void ask();
    return () => abort.abort();
  }, [key]);
  return { found, error, busy };
}

function AccuracyOverRevisions(props: { machine: string; profiles: Profile[] }) {
  // coxd builds a view for each, so a new revision alone does not make the page ask again.
  const chosen = useRef({ atMs: 0, revisions: [] as number[] });
  if (chosen.current.revisions.length < 2 || Date.now() - chosen.current.atMs > REVISIONS_STAY_MS) {
    const all = props.profiles.map((profile) => num(profile.revision));
    chosen.current = { atMs: Date.now(), revisions: someRevisions(all, MOST_REVISIONS_ASKED) };
  }
  const { revisions } = chosen.current;
  const { found: errors, error, busy } = useRevisionErrors(props.machine, revisions);
  const ofModel = revisions.map((revision) => errors.get(revision)?.model);
  const leftOut = revisions.map((revision) => errors.get(revision)?.leftOut);
  if (revisions.length < 2) return null;
  if (errors.size === revisions.length && [...ofModel, ...leftOut].every((value) => value === undefined)) return null;
  return (
    <Card title="Accuracy over revisions" hint="The median error that each revision's parameters would have against today's observations. Lower is better.">
      <Progress of={[{ error, slow: busy }]} />
      <Chart
        title="Median error by revision" xName="revision" yName="median error" xs={revisions} height={240} file={`accuracy-${props.machine}`}
        lines={[
          { name: 'model alone', values: ofModel, strong: true },
          { name: 'recommendations, each scenario left out of its own prediction', values: leftOut },
        ]}
        whole xText={(x) => `r${x}`} yText={percentText}
      />
    </Card>
  );
}

function HeldBack(props: { machine: string; held: HeldRevision; onDone: (text: string) => void }) {
  const [asks, setAsks] = useState(false);
  const [error, setError] = useState<CallError | undefined>();
  const accept = async () => {
    setAsks(false);
    try {
      await call('ProfileService/AcceptProfile', { parent: `machines/${props.machine}` });
      props.onDone('What was held back answers now. Roll back to undo it.');
    } catch (caught) {
      setError(toError(caught));
    }
  };
  const what = `${countText(num(props.held.observationCount))} observations of ${(props.held.sources ?? []).join(', ') || 'one source'} would move predictions by a factor of ${(props.held.factor ?? 1).toFixed(1)}`;
  return (
    <Card title="A revision is held back" tools={<button type="button" class="primary" onClick={() => setAsks(true)}>Accept</button>}>
      <Progress of={[{ error, slow: false }]} />
      <p>{what}. It waits until you accept it, a second source agrees, or a benchmark is imported.</p>
      {asks && (
        <Confirm title={`Accept what ${props.machine} holds back?`} action="Accept" onYes={() => void accept()} onNo={() => setAsks(false)}>
          <p>{what}. All answers for this machine use it from now on.</p>
        </Confirm>
      )}
    </Card>
  );
}

function Parameters(props: { profiles: Profile[] }) {
  const { params } = useRoute();
  const active = props.profiles.find((profile) => profile.active) ?? props.profiles[0];
  const parameters = (active?.parameters ?? []).filter((parameter) => !(parameter.above ?? 0));
  const models = [...new Set(parameters.map((parameter) => parameter.model))];
  const wanted = params.get('parameter') ?? '';
  const chosen = parameters.find((parameter) => keyOf(parameter) === wanted) ??
    parameters.find((parameter) => parameter.level === 'network' && parameter.unit === 's') ?? parameters[0];
  if (chosen === undefined) return <Empty title="This profile has no parameters." />;
  const model = chosen.model;
  const key = keyOf(chosen);
  const history = historyOf(props.profiles, key);
  return (
    <Card
      title="Parameters"
      hint="Values with 90 % error bars, over the revisions of the profile. Choose one to see how it was learned."
      tools={<Select label="Model" value={model} options={models} onChange={(next) => {
        const first = parameters.find((parameter) => parameter.model === next);
        if (first) setParams({ parameter: keyOf(first) });
      }} />}
    >
      <div class="split">
        <div class="scroll" tabIndex={0} role="region" aria-label="Parameters">
          <table class="list">
            <thead><tr><th scope="col">Parameter</th><th scope="col" class="number">Value</th><th scope="col" class="number">± standard error</th></tr></thead>
            <tbody>
              {parameters.filter((parameter) => parameter.model === model).map((parameter) => (
                <tr key={keyOf(parameter)} class={keyOf(parameter) === key ? 'chosen' : ''}>
                  <th scope="row">
                    <button type="button" class="link" aria-pressed={keyOf(parameter) === key} onClick={() => setParams({ parameter: keyOf(parameter) })}>{parameter.name}</button>
                    <small>{parameter.level}</small>
                  </th>
                  <td class="number" title={`${parameter.value ?? 0} ${parameter.unit ?? ''}${parameter.source ? `; ${parameter.source}` : ''}`}>{parameter.relation === '<=' ? '≤ ' : ''}{parameterText(parameter.value ?? 0, parameter.unit ?? '')}</td>
                  <td class="number">{parameter.stderr ? parameterText(parameter.stderr, parameter.unit ?? '') : '–'}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
        <Chart
          title={key} xName="revision" yName={`${chosen.name}, ${chosen.level}`} xs={history.revisions} height={260} file={key}
          lines={[{ name: key, values: history.values, strong: true, points: history.values.length < 2, band: { low: history.low, high: history.high } }]}
          whole xText={(x) => `r${x}`} yText={(y) => parameterText(y, history.unit)}
        />
      </div>
    </Card>
  );
}

const pin = (machine: string, revision: number) =>
  call('ProfileService/PinProfile', { name: `machines/${machine}/profiles/${revision === 0 ? '-' : revision}` });

const rollBack = (machine: string, revision: number) =>
  call('ProfileService/RollbackProfile', { name: `machines/${machine}/profiles/${revision}`, requestId: crypto.randomUUID() });

// Pins a revision (0: none), or rolls back to it. Returns what undoes it: it brings back the pin
// that coxd has now, because what the page shows may be seconds old.
export async function change(machine: string, kind: 'pin' | 'rollback', revision: number): Promise<() => Promise<void>> {
  const pinned = num((await call<MachineJson>('MachineService/GetMachine', { name: `machines/${machine}` })).pinnedRevision);
  if (kind === 'pin') {
    await pin(machine, revision);
    return async () => {
      await pin(machine, pinned);
    };
  }
  const { profiles } = await call<{ profiles?: Profile[] }>('ProfileService/ListProfiles', { parent: `machines/${machine}`, pageSize: 1 });
  const newest = num(profiles?.[0]?.revision);
  await rollBack(machine, revision);
  return async () => {
    await rollBack(machine, newest);
    if (pinned !== 0) await pin(machine, pinned);
  };
}

function Revisions(props: { machine: string; profiles: Profile[]; pinned: number; onDone: (text: string, undo?: () => Promise<void>) => void }) {
  const nowMs = useNow();
  const [asks, setAsks] = useState<{ kind: 'pin' | 'rollback'; revision: number } | null>(null);
  const [error, setError] = useState<CallError | undefined>();
  const run = async (kind: 'pin' | 'rollback', revision: number, text: string) => {
    setError(undefined);
    setAsks(null);
    try {
      props.onDone(text, await change(props.machine, kind, revision));
    } catch (caught) {
      setError(toError(caught));
    }
  };
  const yes = () => {
    if (asks === null) return;
    const { kind, revision } = asks;
    void run(kind, revision, kind === 'pin' ? `Revision ${revision} is pinned.` : `A copy of revision ${revision} answers now.`);
  };
  return (
    <Card
      title="Revisions"
      hint="Pinning keeps one revision until it is unpinned; learning pauses meanwhile. Rolling back adds a copy of an older revision."
      tools={props.pinned > 0 && <button type="button" class="primary" onClick={() => void run('pin', 0, 'The newest revision answers again.')}>Unpin</button>}
    >
      <Progress of={[{ error, slow: false }]} />
      <div class="scroll short" tabIndex={0} role="region" aria-label="Revisions">
        <table class="list">
          <thead><tr><th scope="col">Revision</th><th scope="col">From</th><th scope="col">When</th><th scope="col">What it was made from</th><th scope="col"><span class="hidden">Actions</span></th></tr></thead>
          <tbody>
            {props.profiles.map((profile) => (
              <tr key={profile.name} class={profile.active ? 'chosen' : ''}>
                <th scope="row">r{num(profile.revision)} {profile.active && <Badge tone="good">active</Badge>}</th>
                <td>{(profile.provenance ?? '').replace('PROVENANCE_', '').toLowerCase()}</td>
                <td title={whenText(profile.createTime)}>{agoText(profile.createTime, nowMs)}</td>
                <td class="note">{profile.note}</td>
                <td class="actions">
                  <button type="button" class="quiet" aria-label={`Pin revision ${num(profile.revision)}`} onClick={() => setAsks({ kind: 'pin', revision: num(profile.revision) })}>Pin</button>
                  {!profile.active && <button type="button" class="quiet" aria-label={`Roll back to revision ${num(profile.revision)}`} onClick={() => setAsks({ kind: 'rollback', revision: num(profile.revision) })}>Roll back</button>}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {asks && (
        <Confirm title={asks.kind === 'pin' ? `Pin revision ${asks.revision} of ${props.machine}?` : `Roll ${props.machine} back to revision ${asks.revision}?`} action={asks.kind === 'pin' ? 'Pin' : 'Roll back'} onYes={yes} onNo={() => setAsks(null)}>
          <p>{asks.kind === 'pin' ? 'All answers for this machine use it from now on, and the machine learns nothing until it is unpinned.' : 'All answers for this machine use a copy of it from now on. History stays.'} You can undo this.</p>
        </Confirm>
      )}
    </Card>
  );
}

export function Machine() {
  const { name, state, states } = useMachine();
  const asked = useCall<{ profiles?: Profile[]; held?: HeldRevision }>(
    'ProfileService/ListProfiles', state ? { parent: `machines/${name}`, pageSize: REVISIONS } : null, 5000);
  const [said, setDone] = useState<{ machine: string; text: string; undo?: () => Promise<void> } | null>(null);
  const [failed, setFailed] = useState<CallError | undefined>(); // to undo
  const done = said?.machine === name ? said : null;
  const nowMs = useNow();
  const profiles = asked.data?.profiles ?? [];
  if (states.length === 0 && name === '') return <><h1>Machine</h1><NoMachine /></>;
  const onDone = (text: string, undo?: () => Promise<void>) => {
    setDone({ machine: name, text, undo });
    setFailed(undefined);
    asked.again();
  };
  const undo = async () => {
    try {
      await done?.undo?.();
      onDone('Undone.');
    } catch (caught) {
      setFailed(toError(caught));
    }
  };
  const active = profiles.find((profile) => profile.active);
  return (
    <>
      <h1>Machine</h1>
      <Card><div class="form"><MachineSelect /></div></Card>
      <Progress of={[asked, { error: done ? failed : undefined, slow: false }]} />
      {done && (
        <p class="toast" role="status">
          {done.text}{' '}
          {done.undo && <button type="button" class="link" onClick={() => void undo()}>Undo</button>}
          <button type="button" class="link" onClick={() => setDone(null)}>Dismiss</button>
        </p>
      )}
      {state && (
        <dl class="stats">
          <Stat label="Nodes" value={countText(num(state.machine.nodes))} />
          <Stat label="Cores per node" value={countText(num(state.machine.coresPerNode))} />
          <Stat label="Active revision" value={active ? `r${num(active.revision)}` : 'none'} title={whenText(active?.createTime)} />
          <Stat label="Learned" value={agoText(active?.createTime, nowMs)} title={whenText(active?.createTime)} />
          <Stat label="Observations" value={countText(num(state.observationCount))} />
          <Stat label="Drifts" value={countText(num(state.driftCount))} tone={num(state.driftCount) > 0 ? 'warn' : 'good'} />
        </dl>
      )}
      {asked.data && profiles.length === 0 && <Empty title="This machine has no profile yet."><p>Calibrate it: <code>cox calibrate {name}</code></p></Empty>}
      {asked.data?.held && <HeldBack key={name} machine={name} held={asked.data.held} onDone={onDone} />}
      {profiles.length > 0 && <Parameters profiles={profiles} />}
      {profiles.length > 0 && <AccuracyCard machine={name} />}
      {profiles.length > 0 && <AccuracyOverRevisions key={name} machine={name} profiles={profiles} />}
      {profiles.length > 0 && <SavingsCard key={name} machine={name} />}
      {profiles.length > 0 && <Drifts key={name} machine={name} />}
      {profiles.length > 0 && <Revisions key={name} machine={name} profiles={profiles} pinned={num(state?.machine.pinnedRevision)} onDone={onDone} />}
    </>
  );
}
