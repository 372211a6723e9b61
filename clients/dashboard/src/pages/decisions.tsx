// Which algorithm for which collective and size, what it gains, and why.
import { useState } from 'preact/hooks';
import { num, type ObservedTimes, type Profile, type Recommendation } from '../api/types';
import { useCall } from '../base/hooks';
import { gainStrength, rankNames, seriesColor } from '../base/palette';
import { setParams, useRoute } from '../base/route';
import { bytesLabel, bytesText, countText, percentText, timeText, whenText } from '../base/units';
import { Chart, type Line } from '../parts/chart';
import { Badge, Card, Copy, Empty, NumberField, Progress, Select, Stat } from '../parts/common';
import { type Cell, HeatMap } from '../parts/heatmap';
import { MachineSelect, NoMachine, useMachine } from '../parts/machines';
import { chooseShape, FORMATS, libraries, type Shape, SIZES, useObserved } from './observed';

const COLLECTIVES = ['alltoall', 'allreduce', 'bcast', 'allgather', 'reduce', 'reduce_scatter', 'reduce_scatter_block', 'gather', 'scatter', 'alltoallv', 'allgatherv', 'scan', 'exscan', 'barrier'];
const MOST_CURVES = 6;
const REVISIONS = 100;

const question = (machine: string, shape: Shape, collective: string, blockBytes: number, alternatives: boolean, profileRevision = 0) => ({
  machine, ...(profileRevision > 0 && { profileRevision }), library: shape.library, collective, nodes: shape.nodes, ppn: shape.ppn,
  blockBytes: collective === 'barrier' ? 0 : blockBytes, includeAlternatives: alternatives,
});

export const gainOf = (answer: Recommendation): number =>
  answer.algorithm !== 'default' && answer.defaultTimeS && answer.predictedTimeS
    ? answer.defaultTimeS / answer.predictedTimeS : 1;

// The whole interval of the choice is below the default's predicted time.
export const isCertain = (answer: Recommendation): boolean =>
  answer.defaultTimeS !== undefined && (answer.intervalS?.[1] ?? Infinity) < answer.defaultTimeS;

// `other`: what the machine or revision named `otherName` answers.
export function cellOf(answer: Recommendation | undefined, colors: Map<string, number>, other?: Recommendation, otherName = ''): Cell | null {
  if (answer === undefined || answer.error || !answer.algorithm) return null;
  const gain = gainOf(answer);
  const isDefault = answer.algorithm === 'default';
  const differs = other !== undefined && !other.error && other.algorithm !== answer.algorithm;
  const title = isDefault
    ? `default${answer.defaultAlgorithm ? ` (runs ${answer.defaultAlgorithm})` : ''}: ${answer.reason ?? ''}`
    : `${answer.algorithm}: ${gain.toFixed(2)} times as fast as the default${isCertain(answer) ? '' : ', not certain'}`;
  return {
    text: isDefault ? '' : gain >= 1.005 ? `${gain >= 9.95 ? Math.round(gain) : gain.toFixed(1)}×` : '=',
    title: differs ? `${title}. ${otherName}: ${other.algorithm}` : title,
    color: isDefault ? null : (colors.get(answer.algorithm) ?? 0),
    strength: gainStrength(gain),
    ring: differs,
  };
}

const sentence = (text: string | undefined): string => (text === undefined || text === '' || text.endsWith('.') ? (text ?? '') : `${text}.`);

// What an answer rests on, in words.
const EVIDENCE: Record<string, string> = {
  EVIDENCE_PRICE: "a model's price alone",
  EVIDENCE_BENCHMARK: 'benchmarks',
  EVIDENCE_JOBS: 'jobs',
  EVIDENCE_CANARY: 'canaries',
  EVIDENCE_ONE_SOURCE: 'one source alone',
};

export const evidenceText = (evidence: string[] | undefined): string =>
  (evidence ?? []).map((each) => EVIDENCE[each] ?? each).join(', ') || '–';

export interface Difference {
  collective: string;
  fromBytes: number;
  toBytes: number;
  here: string;
  there: string;
}

// Where two grids choose differently: neighbouring sizes with the same pair of algorithms are one.
export function differencesOf(here: Map<string, Recommendation[]>, there: Map<string, Recommendation[]>, sizes: number[]): Difference[] {
  const found: Difference[] = [];
  for (const [collective, answers] of here) {
    let last: Difference | undefined;
    answers.forEach((answer, i) => {
      const other = there.get(collective)?.[i];
      const differs = answer.algorithm && other?.algorithm && !answer.error && !other.error && answer.algorithm !== other.algorithm;
      const bytes = sizes[i] as number;
      if (!differs) {
        last = undefined;
      } else if (last !== undefined && last.here === answer.algorithm && last.there === other.algorithm) {
        last.toBytes = bytes;
      } else {
        last = { collective, fromBytes: bytes, toBytes: bytes, here: answer.algorithm as string, there: other.algorithm as string };
        found.push(last);
      }
    });
  }
  return found;
}

// Why no question has an answer; undefined if one has, or if the reasons differ.
export function refusalOf(answers: Recommendation[]): string | undefined {
  const errors = new Set(answers.map((answer) => answer.error));
  return errors.size === 1 ? [...errors][0] || undefined : undefined;
}

function useGrid(machine: string, shape: Shape | null, revision = 0) {
  const requests = shape === null || machine === '' ? null : {
    requests: COLLECTIVES.flatMap((collective) =>
      (collective === 'barrier' ? [1] : SIZES).map((size) => question(machine, shape, collective, size, false, revision))),
  };
  const asked = useCall<{ responses?: Recommendation[] }>('AdviceService/BatchRecommend', requests);
  const rows = new Map<string, Recommendation[]>();
  let at = 0;
  for (const collective of COLLECTIVES) {
    const count = collective === 'barrier' ? 1 : SIZES.length;
    const answers = (asked.data?.responses ?? []).slice(at, at + count);
    at += count;
    if (answers.some((answer) => !answer.error && answer.algorithm)) rows.set(collective, answers);
  }
  return { asked, rows };
}

export function Decisions() {
  const { name, state, states } = useMachine();
  const { params } = useRoute();
  const observed = useObserved(name);
  const other = params.get('with') ?? '';
  const ready = state !== undefined && (observed.data !== undefined || observed.error !== undefined);
  const shape = chooseShape(params, observed.data?.items ?? [], num(state?.machine.nodes), num(state?.machine.coresPerNode));
  const grid = useGrid(name, ready ? shape : null);
  const revision = Number(params.get('revision') ?? 0) || 0;
  const comparison = other !== '' ? { machine: other, revision: 0, name: other } : revision > 0 ? { machine: name, revision, name: `r${revision}` } : null;
  const compared = useGrid(comparison?.machine ?? '', ready && comparison !== null ? shape : null, comparison?.revision);
  const profiles = useCall<{ profiles?: Profile[] }>('ProfileService/ListProfiles', state ? { parent: `machines/${name}`, pageSize: REVISIONS } : null);
  const collectives = [...grid.rows.keys()];
  const all = [...grid.rows.values()].flat();
  const colors = rankNames(all.map((answer) => answer.algorithm ?? '').filter((algorithm) => algorithm !== '' && algorithm !== 'default'));
  const changed = all.filter((answer) => answer.algorithm !== 'default');
  const gains = changed.map(gainOf).sort((a, b) => a - b);
  const refusal = refusalOf(grid.asked.data?.responses ?? []);
  const collective = params.get('collective') ?? '';
  const size = Number(params.get('bytes') ?? NaN);
  if (states.length === 0 && state === undefined && name === '') return <><h1>Decisions</h1><NoMachine /></>;
  return (
    <>
      <h1>Decisions</h1>
      <Card>
        <div class="form">
          <MachineSelect />
          <Select label="Library" value={shape.library} options={libraries(observed.data?.items ?? [])} onChange={(library) => setParams({ library })} />
          <NumberField label="Nodes" value={shape.nodes} min={1} onChange={(nodes) => setParams({ nodes })} />
          <NumberField label="Ranks per node" value={shape.ppn} min={1} onChange={(ppn) => setParams({ ppn })} />
          <MachineSelect label="Compare with" param="with" none="nothing" clears="revision" />
          <Select
            label="Compare with revision" value={other === '' && revision > 0 ? String(revision) : ''}
            options={[{ value: '', label: 'none' }, ...revisionOptions(profiles.data?.profiles ?? [])]}
            onChange={(value) => setParams({ revision: value, with: '' })}
          />
        </div>
      </Card>
      <Progress of={[observed, grid.asked, compared.asked, profiles]} />
      {observed.data && !observed.data.isWhole && <p class="hint">This machine has more observed scenarios than the {countText(observed.data.items.length)} that this page reads: points may be missing in its charts.</p>}
      {all.length > 0 && (
        <dl class="stats">
          <Stat label="Ranks" value={countText(shape.nodes * shape.ppn)} />
          <Stat label="Cells that leave the default" value={`${changed.length} of ${all.length}`} />
          <Stat label="Median gain there" value={gains.length > 0 ? `${(gains[Math.floor(gains.length / 2)] as number).toFixed(2)}×` : '–'} />
          <Stat label="Largest gain" value={gains.length > 0 ? `${(gains[gains.length - 1] as number).toFixed(1)}×` : '–'} />
        </dl>
      )}
      {grid.asked.data && all.length === 0 && (
        <Empty title={refusal ?? `${shape.library} has no table of algorithms for this machine.`}>
          {refusal === undefined && <p>Choose another library, or calibrate the machine.</p>}
        </Empty>
      )}
      {all.length > 0 && (
        <Card
          title="What to run"
          hint="Each column is a block size. A number is the predicted gain over the library's default; a stronger colour is a larger gain; grey keeps the default, and = is as fast. Choose a cell to see why."
        >
          <HeatMap
            label={`Decisions for ${shape.nodes} nodes with ${shape.ppn} ranks each`}
            columns={SIZES.map((bytes) => ({ text: bytesLabel(bytes), title: `${bytes} bytes` }))}
            rows={collectives.map((row) => ({
              name: row,
              cells: SIZES.map((_, i) => cellOf(grid.rows.get(row)?.[i], colors, compared.rows.get(row)?.[i], comparison?.name)),
            }))}
            chosen={{ row: collectives.indexOf(collective), column: SIZES.indexOf(size) }}
            onChoose={(row, column) => setParams({ collective: collectives[row], bytes: SIZES[column] })}
          />
          <ul class="legend" aria-label="Colours">
            {[...colors].sort((a, b) => a[1] - b[1]).map(([algorithm, index]) => (
              <li key={algorithm}><Swatch index={index} /> {algorithm}</li>
            ))}
            <li><span class="swatch grey" aria-hidden="true" /> default</li>
            {comparison && <li><span class="swatch ring" aria-hidden="true" /> {comparison.name} differs</li>}
          </ul>
        </Card>
      )}
      {comparison && compared.asked.data && all.length > 0 && (
        <Differences here={revision > 0 && other === '' ? `r${num(state?.profileRevision)}` : name} there={comparison.name} rows={differencesOf(grid.rows, compared.rows, SIZES)} />
      )}
      {ready && collectives.includes(collective) && SIZES.includes(size) && (
        <Detail machine={name} shape={shape} collective={collective} size={size} observed={observed.data?.items ?? []} />
      )}
      {all.length > 0 && <Tuning machine={name} shape={shape} />}
    </>
  );
}

const revisionOptions = (profiles: Profile[]) =>
  profiles.filter((profile) => !profile.active).map((profile) => ({
    value: String(num(profile.revision)),
    label: `r${num(profile.revision)}, ${(profile.provenance ?? '').replace('PROVENANCE_', '').toLowerCase()}, ${whenText(profile.createTime)}`,
  }));

function Differences(props: { here: string; there: string; rows: Difference[] }) {
  return (
    <Card title={`${props.here} against ${props.there}`} hint="Both use today's observations. Only the parameters, and the choices that they change, differ.">
      {props.rows.length === 0 ? <p>All decisions are the same.</p> : (
        <div class="scroll short" tabIndex={0} role="region" aria-label="Differences">
          <table class="list">
            <thead><tr><th scope="col">Collective</th><th scope="col">Block sizes</th><th scope="col">{props.here}</th><th scope="col">{props.there}</th></tr></thead>
            <tbody>
              {props.rows.map((row) => (
                <tr key={`${row.collective}/${row.fromBytes}`}>
                  <th scope="row">{row.collective}</th>
                  <td>{row.collective === 'barrier' ? '–' : row.fromBytes === row.toBytes ? bytesText(row.fromBytes) : `${bytesText(row.fromBytes)} to ${bytesText(row.toBytes)}`}</td>
                  <td>{row.here}</td>
                  <td>{row.there}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Card>
  );
}

function Swatch(props: { index: number }) {
  return <span class="swatch" style={{ background: seriesColor(props.index) }} aria-hidden="true" />;
}

// Curves of the algorithms at all sizes, with what was observed.
export function curvesOf(answers: Recommendation[], sizes: number[], observed: ObservedTimes[], at: number): Line[] {
  const here = answers[at];
  const ranked = (here?.alternatives ?? []).map((alternative) => alternative.algorithm);
  const seen = new Set(observed.map((row) => row.algorithm));
  const wanted = [...new Set([here?.algorithm === 'default' ? '' : (here?.algorithm ?? ''), ...ranked.filter((name) => seen.has(name)), ...ranked])]
    .filter((name) => name !== '' && name !== 'default').slice(0, MOST_CURVES);
  const lines: Line[] = wanted.map((name, index) => {
    const of = answers.map((answer) => answer.alternatives?.find((alternative) => alternative.algorithm === name));
    const edge = (i: 0 | 1) => of.map((alternative) => (alternative?.intervalS?.[i] ?? 0) > 0 ? (alternative?.intervalS?.[i] as number) : null);
    return {
      name, color: index, strong: index === 0,
      values: of.map((alternative) => alternative?.predictedTimeS ?? null),
      band: index === 0 ? { low: edge(0), high: edge(1) } : undefined,
    };
  });
  lines.push({ name: 'default, predicted', color: wanted.length, values: answers.map((answer) => answer.defaultTimeS ?? null) });
  [...wanted, 'default'].forEach((name, index) => {
    const rows = observed.filter((row) => row.algorithm === name);
    if (rows.length === 0) return;
    lines.push({
      name: `${name}, observed`, color: index, points: true,
      values: sizes.map((bytes) => rows.find((row) => num(row.blockBytes) === bytes)?.medianTimeS ?? null),
    });
  });
  return lines;
}

function Detail(props: { machine: string; shape: Shape; collective: string; size: number; observed: ObservedTimes[] }) {
  const { machine, shape, collective, size } = props;
  const rows = props.observed.filter((row) => row.library === shape.library && row.collective === collective && num(row.nodes) === shape.nodes && num(row.ppn) === shape.ppn);
  const sizes = collective === 'barrier' ? [1] : [...new Set([...SIZES, ...rows.map((row) => num(row.blockBytes)).filter((bytes) => bytes > 0)])].sort((a, b) => a - b);
  const asked = useCall<{ responses?: Recommendation[] }>('AdviceService/BatchRecommend', {
    requests: sizes.map((bytes) => question(machine, shape, collective, bytes, true)),
  });
  const answers = asked.data?.responses ?? [];
  const at = sizes.indexOf(size);
  const answer = answers[at];
  if (answer === undefined) return <Progress of={[asked]} />;
  const isDefault = answer.algorithm === 'default';
  return (
    <Card title={`${collective} of ${bytesText(size)} on ${countText(shape.nodes * shape.ppn)} ranks`}>
      <Progress of={[asked]} />
      <dl class="stats">
        <Stat label="Use" value={isDefault ? `default${answer.defaultAlgorithm ? ` (${answer.defaultAlgorithm})` : ''}` : (answer.algorithm ?? '')} />
        <Stat label="Predicted" value={timeText(answer.predictedTimeS)} title={`${answer.predictedTimeS ?? '?'} s`} />
        <Stat label="90 % interval" value={answer.intervalS ? `${timeText(answer.intervalS[0])} – ${timeText(answer.intervalS[1])}` : '–'} />
        <Stat label="Default" value={timeText(answer.defaultTimeS)} title={`${answer.defaultTimeS ?? '?'} s`} />
        <Stat label="Gain" value={isDefault ? '–' : percentText(gainOf(answer) - 1)} tone={isDefault ? 'plain' : 'good'} />
        {answer.jobTimeS !== undefined && (
          <Stat
            label="In a job" value={timeText(answer.jobTimeS)}
            title={`Ranks do not enter together and caches are cold: 90 % within ${timeText(answer.jobIntervalS?.[0])} to ${timeText(answer.jobIntervalS?.[1])}`}
          />
        )}
        <Stat label="Rests on" value={evidenceText(answer.evidence)} title="What the predicted time was learned from" />
        <Stat label="Certain" value={isDefault ? '–' : isCertain(answer) ? <Badge tone="good">yes</Badge> : <Badge tone="warn">intervals meet</Badge>} />
      </dl>
      <p class="reason"><strong>Why:</strong> {sentence(answer.reason)} {answer.model && <>Model: <code>{answer.model}</code>, revision {num(answer.profileRevision)}.</>}</p>
      {(answer.caveats ?? []).map((caveat) => <p class="reason" key={caveat}><Badge tone="warn">Caveat</Badge> {caveat}</p>)}
      <Chart
        title={`${collective}, ${shape.library}, ${shape.nodes} × ${shape.ppn} ranks`} xName="block size" yName="time of a call" xs={sizes} log
        lines={curvesOf(answers, sizes, rows, at)} xText={bytesText} yText={timeText} marks={[{ x: size, text: 'here' }]} file={`decision-${collective}`}
      />
      <details>
        <summary>All candidates at {bytesText(size)}</summary>
        <div class="scroll" tabIndex={0} role="region" aria-label="Candidates">
          <table class="list">
            <thead><tr><th scope="col">Algorithm</th><th scope="col">Structure</th><th scope="col" class="number">Predicted</th><th scope="col" class="number">90 % interval</th><th scope="col" class="number">Observed median</th></tr></thead>
            <tbody>
              {(answer.alternatives ?? []).map((alternative) => {
                const seen = rows.find((row) => row.algorithm === alternative.algorithm && num(row.blockBytes) === size);
                return (
                  <tr key={alternative.algorithm}>
                    <th scope="row">{alternative.algorithm}</th>
                    <td>{alternative.strategy || 'unknown'}</td>
                    <td class="number">{timeText(alternative.predictedTimeS)}</td>
                    <td class="number">{alternative.intervalS ? `${timeText(alternative.intervalS[0])} – ${timeText(alternative.intervalS[1])}` : '–'}</td>
                    <td class="number">{seen ? `${timeText(seen.medianTimeS)} (${countText(num(seen.observationCount))})` : '–'}</td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </div>
      </details>
    </Card>
  );
}

// The text for the library, ready to copy.
function Tuning(props: { machine: string; shape: Shape }) {
  const formats = FORMATS[props.shape.library] ?? [];
  const [wanted, setWanted] = useState('');
  const format = formats.includes(wanted) ? wanted : (formats[0] ?? '');
  const asked = useCall<{ text?: string }>('AdviceService/GetTuning', format === '' ? null : {
    machine: props.machine, library: props.shape.library, nodes: props.shape.nodes, ppn: props.shape.ppn, formatName: format,
  });
  if (format === '') return null;
  const text = asked.data?.text ?? '';
  return (
    <Card
      title={`Text for ${props.shape.library}`}
      hint="A job with this text runs these decisions, without an agent."
      tools={<>
        {formats.map((each) => (
          <button type="button" key={each} class={each === format ? 'primary' : 'quiet'} aria-pressed={each === format} onClick={() => setWanted(each)}>{each}</button>
        ))}
        {text !== '' && <Copy text={text} what={`the ${format} text`} />}
      </>}
    >
      <Progress of={[asked]} />
      {text !== '' && <pre class="text" tabIndex={0} role="region" aria-label={`The ${format} text`}>{text}</pre>}
    </Card>
  );
}
