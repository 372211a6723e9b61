// Curves of all algorithms while ranks, latency and bandwidth move under the hand.
import { useEffect, useMemo, useState } from 'preact/hooks';
import { call } from '../api/connect';
import { type Grid, type Model, num, type Parameter, type ParameterSpec, type Profile } from '../api/types';
import { knownAbout, type Known, Latest, RETRY_MS, SLOW_MS, toError, useCall } from '../base/hooks';
import { bestRanges } from '../base/curves';
import { setParams, useRoute } from '../base/route';
import { bytesText, countText, timeText } from '../base/units';
import { Chart } from '../parts/chart';
import { Badge, Card, Copy, Empty, Progress, Select, Slider } from '../parts/common';
import { MachineSelect, NoMachine, useMachine } from '../parts/machines';
import { SIZES } from './observed';

const COLLECTIVES = ['alltoall', 'allreduce', 'bcast', 'allgather', 'reduce', 'reduce_scatter_block', 'gather', 'scatter', 'scan', 'barrier'];
const MOST_CURVES = 8;
const MOST_RANKS_LOG2 = 20;
const STEPS_PER_DOUBLING = 4;
const MOST_STEPS = 16;
const MOST_DIMENSIONS = 6;

const AS_IS = '';
const TOPOLOGIES = ['crossbar', 'bus', 'mesh', 'torus', 'hypercube', 'tree', 'fat-tree', 'dragonfly'];
const WITH_SIDES = ['mesh', 'torus'];
// The models that know distances and cuts of the network.
const TOPOLOGY_MODELS = ['c3'];

// The sides of a box of `count` nodes in so many dimensions, as alike as whole numbers can be.
export function sidesOf(count: number, dimensions: number): number[] {
  const primes: number[] = [];
  let rest = count;
  for (let prime = 2; prime * prime <= rest; ++prime) {
    for (; rest % prime === 0; rest /= prime) primes.push(prime);
  }
  if (rest > 1) primes.push(rest);
  const sides = Array<number>(dimensions).fill(1);
  for (const prime of primes.reverse()) {
    const least = sides.indexOf(Math.min(...sides));
    sides[least] = (sides[least] as number) * prime;
  }
  return sides.sort((a, b) => b - a);
}

// A factor of a slider's position: 0 is 1, each STEPS_PER_DOUBLING doubles.
export const factorAt = (position: number): number => 2 ** (position / STEPS_PER_DOUBLING);

// Changes of all network parameters of a model that are times per message, and per byte.
export function changesOf(specs: ParameterSpec[], has: (spec: ParameterSpec) => boolean, latency: number, bandwidth: number, model: string) {
  return specs.filter((spec) => spec.level === 'network' && has(spec)).flatMap((spec) => {
    const factor = spec.unit === 's' ? latency : spec.unit === 's/byte' ? 1 / bandwidth : spec.unit === 'byte/s' ? bandwidth : 1;
    return factor === 1 ? [] : [{ parameter: `${model}.${spec.level}.${spec.name}`, factor }];
  });
}

// A whole number of the address within its slider's range, or `fallback`.
export function intParam(params: URLSearchParams, name: string, fallback: number, least: number, most: number): number {
  const value = Number(params.get(name) ?? NaN);
  return Number.isNaN(value) ? fallback : Math.max(least, Math.min(most, Math.round(value)));
}

const factorText = (factor: number) => (factor >= 1 ? `${Number(factor.toPrecision(3))}×` : `1/${Number((1 / factor).toPrecision(3))}`);

const topologyHint = (priced: Model[]) =>
  priced.some((each) => TOPOLOGY_MODELS.includes(each.id))
    ? `Choose the model ${TOPOLOGY_MODELS.join(' or ')}.`
    : `The model ${TOPOLOGY_MODELS.join(' or ')} has one, but this machine has no parameters of it.`;

// `about`: while it stays the same, the curves stay until the next ones are there.
function useGrid(request: object | null, about: string) {
  const [state, setState] = useState<Known<Grid>>({ slow: false });
  const latest = useMemo(() => new Latest<{ request: object; about: string }>(async (asked) => {
    const timer = setTimeout(() => setState((old) => ({ ...old, slow: true })), SLOW_MS);
    try {
      setState({ about: asked.about, data: await call<Grid>('AdviceService/BatchEvaluate', asked.request), slow: false });
    } catch (caught) {
      setState({ about: asked.about, slow: false, error: toError(caught) });
    } finally {
      clearTimeout(timer);
    }
  }), []);
  const key = JSON.stringify(request);
  useEffect(() => {
    if (request !== null) void latest.push({ request, about });
  }, [key, about]);
  const isAway = state.error?.code === 'unavailable';
  useEffect(() => {
    if (!isAway || request === null) return undefined;
    const timer = setTimeout(() => void latest.push({ request, about }), RETRY_MS);
    return () => clearTimeout(timer);
  }, [state.error, key, about]);
  return knownAbout(state, about);
}

export function WhatIf() {
  const { name, state, states } = useMachine();
  const { params } = useRoute();
  const models = useCall<{ models?: Model[] }>('ModelService/ListModels', {});
  const profile = useCall<Profile>('ProfileService/GetProfile', state ? { name: `machines/${name}/profiles/-` } : null);
  const collective = params.get('collective') ?? 'alltoall';
  const wanted = params.get('model') ?? '';
  const cores = Math.max(1, num(state?.machine.coresPerNode));
  const ppn = intParam(params, 'ppn', cores, 1, Number.MAX_SAFE_INTEGER);
  const ranksLog2 = intParam(params, 'ranks', Math.max(1, Math.min(MOST_RANKS_LOG2, Math.round(Math.log2(Math.max(2, num(state?.machine.nodes) * cores))))), 1, MOST_RANKS_LOG2);
  const ranks = 2 ** ranksLog2;
  const latency = intParam(params, 'latency', 0, -MOST_STEPS, MOST_STEPS);
  const bandwidth = intParam(params, 'bandwidth', 0, -MOST_STEPS, MOST_STEPS);
  const placement = params.get('placement') ?? 'BLOCK';
  const kind = params.get('topology') ?? AS_IS;
  const dimensions = intParam(params, 'dims', 2, 1, MOST_DIMENSIONS);
  const sides = WITH_SIDES.includes(kind) ? sidesOf(Math.ceil(ranks / ppn), dimensions) : [];
  const known = profile.data?.parameters ?? [];
  const has = (model: string) => (spec: ParameterSpec) =>
    known.some((each: Parameter) => each.model === model && each.level === spec.level && each.name === spec.name);
  const hasUnit = (model: Model | undefined, unit: string) =>
    model === undefined || (model.parameters ?? []).some((spec) => spec.level === 'network' && spec.unit === unit && has(model.id)(spec));
  const priced = (models.data?.models ?? []).filter((model) => known.some((each) => each.model === model.id));
  const model = priced.find((each) => each.id === wanted) ?? priced.find((each) => each.id === 'loggp') ?? priced[0];
  // The parameters of another machine, which may still be here, would ask for changes that do not fit.
  const request = !state || !profile.data || !models.data || !model ? null : {
    machine: name, collective, model: model.id, ranks: [ranks], ppn, placement: `PLACEMENT_${placement}`,
    blockBytes: collective === 'barrier' ? [0] : SIZES,
    whatIf: changesOf(model.parameters ?? [], has(model.id), factorAt(latency), factorAt(bandwidth), model.id),
    topology: kind === AS_IS ? undefined : { kind, dims: sides },
  };
  // Changes that the model has no term for.
  const ignored = [
    latency !== 0 && !hasUnit(model, 's') ? 'latency' : '',
    bandwidth !== 0 && !hasUnit(model, 's/byte') && !hasUnit(model, 'byte/s') ? 'bandwidth' : '',
    kind !== AS_IS && model !== undefined && !TOPOLOGY_MODELS.includes(model.id) ? 'topology' : '',
  ].filter((what) => what !== '');
  const own = [state?.machine.topology?.kind, state?.machine.topology?.dims?.join(' × ')].filter(Boolean).join(' ');
  const grid = useGrid(request, `${name} ${collective} ${model?.id}`);
  const strategies = grid.data?.strategies ?? [];
  const times = grid.data?.timeS ?? [];
  const width = strategies.length > 0 ? times.length / strategies.length : 0;
  const sizes = SIZES.slice(0, width);
  const curves = strategies.map((_, i) => times.slice(i * width, (i + 1) * width));
  const ranges = bestRanges(sizes, curves);
  const order = useOrder(strategies, curves, ranges.map((range) => range.index));
  const set = (changes: Record<string, string | number>) => setParams(changes, true);
  if (states.length === 0 && name === '') return <><h1>What if</h1><NoMachine /></>;
  const short = (strategy: string) => strategy.slice(strategy.indexOf('/') + 1);
  return (
    <>
      <h1>What if</h1>
      <Card title="Scenario" hint="Move a slider: the curves follow. The address of this page holds the state, so a link shares it." tools={<Copy text={location.href} what="the link" label="Copy link" />}>
        <div class="form">
          <MachineSelect />
          <Select label="Collective" value={collective} options={COLLECTIVES} onChange={(value) => set({ collective: value })} />
          <Select label="Model" value={model?.id ?? ''} options={priced.map((each) => each.id)} onChange={(value) => set({ model: value })} />
          <Select label="Placement" value={placement} options={[{ value: 'BLOCK', label: 'block' }, { value: 'CYCLIC', label: 'cyclic' }]} onChange={(value) => set({ placement: value })} />
          <Select label="Topology" value={kind} options={[{ value: AS_IS, label: own === '' ? 'as it is' : `as it is: ${own}` }, ...TOPOLOGIES]} onChange={(value) => set({ topology: value })} />
        </div>
        <div class="form wide">
          <Slider label="Ranks" min={1} max={MOST_RANKS_LOG2} value={ranksLog2} text={countText(ranks)} onInput={(value) => set({ ranks: value })} />
          <Slider label="Ranks per node" min={1} max={Math.max(2, cores, ppn)} value={ppn} text={countText(ppn)} onInput={(value) => set({ ppn: value })} />
          <Slider label="Network latency" min={-MOST_STEPS} max={MOST_STEPS} value={latency} text={factorText(factorAt(latency))} onInput={(value) => set({ latency: value })} />
          <Slider label="Network bandwidth" min={-MOST_STEPS} max={MOST_STEPS} value={bandwidth} text={factorText(factorAt(bandwidth))} onInput={(value) => set({ bandwidth: value })} />
          {WITH_SIDES.includes(kind) && <Slider label="Dimensions" min={1} max={MOST_DIMENSIONS} value={dimensions} text={sides.join(' × ')} onInput={(value) => set({ dims: value })} />}
        </div>
        {ignored.length > 0 && <p class="hint" role="status">The model {model?.id} has no term for {ignored.join(' and ')}: nothing changes.{ignored.includes('topology') && ` ${topologyHint(priced)}`}</p>}
      </Card>
      <Progress of={[models, profile, grid]} />
      {profile.data && models.data && priced.length === 0 && <Empty title="This machine has no parameters to change."><p>Calibrate it: <code>cox calibrate {name}</code></p></Empty>}
      {order.length > 0 && (
        <Card title={`${collective} on ${countText(ranks)} ranks of ${name}`} hint={`Predicted by the model ${grid.data?.model ?? ''}, revision ${num(grid.data?.profileRevision)}. Dashed lines are crossovers.`}>
          <Chart
            title={`${collective}, ${countText(ranks)} ranks`} xName="block size" yName="time of a call" xs={sizes} log height={400} file={`what-if-${collective}`}
            lines={order.map((i, color) => ({ name: short(strategies[i] as string), color, strong: i === ranges[0]?.index, values: (curves[i] ?? []).map((value) => (value > 0 ? value : null)) }))}
            xText={bytesText} yText={timeText} marks={ranges.slice(1).map((range) => ({ x: range.from, text: bytesText(range.from) }))}
          />
          <ol class="ranges" aria-label="The best algorithm by size">
            {ranges.map((range, i) => (
              <li key={range.from}>
                <span>{i === 0 ? `from ${bytesText(range.from)}` : `from about ${bytesText(range.from)}`}</span>
                <Badge tone="plain">{short(strategies[range.index] as string)}</Badge>
              </li>
            ))}
          </ol>
        </Card>
      )}
    </>
  );
}

// The curves to show: those that are best somewhere, then the best of the rest. Their colours stay
// while a slider moves, as long as the same strategies are there.
function useOrder(strategies: string[], curves: number[][], best: number[]): number[] {
  const mean = (curve: number[]) => {
    const there = curve.filter((value) => value > 0);
    return there.length === 0 ? Infinity : there.reduce((sum, value) => sum + Math.log(value), 0) / there.length;
  };
  const key = strategies.join();
  const first = useMemo(
    () => curves.map((_, i) => i).filter((i) => Number.isFinite(mean(curves[i] ?? []))).sort((a, b) => mean(curves[a] ?? []) - mean(curves[b] ?? [])),
    [key]);
  return [...new Set([...best, ...first])].slice(0, Math.max(MOST_CURVES, new Set(best).size)).sort((a, b) => first.indexOf(a) - first.indexOf(b));
}
