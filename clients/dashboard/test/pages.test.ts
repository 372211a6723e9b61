import { afterEach, describe, expect, it, vi } from 'vitest';
import { attentionOf } from '../src/pages/fleet';
import { cellOf, curvesOf, differencesOf, evidenceText, gainOf, isCertain, refusalOf } from '../src/pages/decisions';
import { evidenceSeries, sizesText } from '../src/pages/drifts';
import { compareWithDefault } from '../src/pages/calls';
import { findJob, machineOf, periodOf, runRatios, severalElements, stemOf } from '../src/pages/jobs';
import { addEvent, bucketsOf } from '../src/pages/live';
import { change, historyOf, revisionError, someRevisions } from '../src/pages/machine';
import { chooseShape, filtersOf, observedShapes } from '../src/pages/observed';
import { examplePattern, ranksFor } from '../src/pages/patterns';
import { dayTitle, isCompared, savedByDay, savedPerDay, savedTone, sumOf, withdrawalText } from '../src/pages/savings';
import { outcomeOf, questionsOf, trialsOf } from '../src/pages/trials';
import { changesOf, factorAt, intParam, sidesOf } from '../src/pages/whatif';
import type { ObservedTimes } from '../src/api/types';

const times = (part: Partial<ObservedTimes>): ObservedTimes => ({
  library: 'openmpi-4.1', collective: 'bcast', algorithm: 'default', nodes: '2', ppn: '4', ranks: '8', blockBytes: '1024', typeBytes: '4', ...part,
});

afterEach(() => vi.unstubAllGlobals());

// Answers calls of the API, and notes them.
function answerWith(answer: (method: string, request: Record<string, unknown>) => object): [string, Record<string, unknown>][] {
  const asked: [string, Record<string, unknown>][] = [];
  vi.stubGlobal('fetch', async (url: string, options: RequestInit) => {
    const [method, request] = [url.replace('cox.v1.', ''), JSON.parse(String(options.body)) as Record<string, unknown>];
    asked.push([method, request]);
    return new Response(JSON.stringify(answer(method, request)));
  });
  return asked;
}

describe('attention', () => {
  const now = Date.UTC(2026, 10, 22);
  const machine = { name: 'machines/a', provenance: 'PROVENANCE_REFINED' };
  const healthy = { name: 'machines/a', machine, profileRevision: '7', observationCount: '100', lastObservationTime: '2026-11-21T00:00:00Z' };
  it('is for the most urgent', () => {
    expect(attentionOf(healthy, now)).toMatchObject({ tone: 'good', text: 'learning' });
    expect(attentionOf({ ...healthy, profileRevision: undefined }, now).text).toContain('calibrate');
    // Single timings, while observations sum up many.
    expect(attentionOf({ ...healthy, droppedCount: '50' }, now)).toMatchObject({ tone: 'good' });
    expect(attentionOf({ ...healthy, machine: { ...machine, pinnedRevision: '3' } }, now).text).toContain('revision 3');
    const lastDrift = { createTime: '2026-11-20T00:00:00Z', factor: 0.5, collective: 'bcast' };
    expect(attentionOf(healthy, now, { rows: [{ comparedCallCount: 9, savedS: -3, intervalS: [-5, -1] }] })).toMatchObject({ tone: 'bad' });
    expect(attentionOf(healthy, now, { withdrawals: [{ createTime: '2026-11-20T00:00:00Z' }] }).text).toContain('an algorithm was withdrawn');
    expect(attentionOf(healthy, now, { withdrawals: [{ createTime: '2026-11-20T00:00:00Z', ended: true }] }).tone).toBe('good');
    expect(attentionOf({ ...healthy, droppedCount: '50', lastDrift }, now)).toMatchObject({ tone: 'bad', text: 'drifted: 2.00× faster bcast' });
    expect(attentionOf({ ...healthy, lastDrift: { ...lastDrift, createTime: '2026-01-01T00:00:00Z' } }, now).tone).toBe('good');
  });
});

describe('decisions', () => {
  const better = { algorithm: 'ring', predictedTimeS: 1e-6, defaultTimeS: 3e-6, intervalS: [0.5e-6, 2e-6], reason: 'faster' };
  it('gain and certainty are against the default', () => {
    expect(gainOf(better)).toBeCloseTo(3);
    expect(isCertain(better)).toBe(true);
    expect(isCertain({ ...better, intervalS: [0.5e-6, 4e-6] })).toBe(false);
    expect(gainOf({ algorithm: 'default', predictedTimeS: 1, defaultTimeS: 1 })).toBe(1);
  });
  it('a cell says in words what its colour says', () => {
    const colors = new Map([['ring', 2]]);
    expect(cellOf(better, colors)).toMatchObject({ text: '3.0×', color: 2, strength: 1, ring: false });
    expect(cellOf(better, colors)?.title).toContain('3.00 times as fast');
    expect(cellOf({ algorithm: 'default', reason: 'no gain' }, colors)).toMatchObject({ text: '', color: null });
    expect(cellOf({ error: 'unknown' }, colors)).toBeNull();
    expect(cellOf(better, colors, { algorithm: 'linear' }, 'r3')).toMatchObject({ ring: true });
    expect(cellOf(better, colors, { algorithm: 'linear' }, 'r3')?.title).toContain('r3: linear');
  });
  it('differences join neighbouring sizes with the same pair', () => {
    const row = (...names: string[]) => names.map((algorithm) => ({ algorithm }));
    const here = new Map([['bcast', row('a', 'a', 'b', 'a', 'default')], ['scan', row('a')]]);
    const there = new Map([['bcast', row('b', 'b', 'b', 'b', 'c')]]);
    expect(differencesOf(here, there, [1, 2, 4, 8, 16])).toEqual([
      { collective: 'bcast', fromBytes: 1, toBytes: 2, here: 'a', there: 'b' },
      { collective: 'bcast', fromBytes: 8, toBytes: 8, here: 'a', there: 'b' },
      { collective: 'bcast', fromBytes: 16, toBytes: 16, here: 'default', there: 'c' }]);
  });
  it('the reason of all refusals is said', () => {
    const error = 'ranks: 36000000000000000 is not between 1 and 2147483647';
    expect(refusalOf([{ error }, { error }])).toBe(error);
    expect(refusalOf([{ error }, { algorithm: 'ring' }])).toBeUndefined();
    expect(refusalOf([{ error }, { error: 'another' }])).toBeUndefined();
    expect(refusalOf([{}, {}])).toBeUndefined();
    expect(refusalOf([])).toBeUndefined();
  });
  it('evidence is said in words', () => {
    expect(evidenceText(['EVIDENCE_BENCHMARK', 'EVIDENCE_CANARY'])).toBe('benchmarks, canaries');
    expect(evidenceText(['EVIDENCE_JOBS', 'EVIDENCE_ONE_SOURCE'])).toBe('jobs, one source alone');
    expect(evidenceText(undefined)).toBe('–');
  });
  it('curves have the choice first, and observations as points of the same colour', () => {
    const answers = [16, 1024].map((bytes) => ({
      algorithm: 'ring', defaultTimeS: 3e-6,
      alternatives: [{ algorithm: 'linear', predictedTimeS: bytes * 2e-9 }, { algorithm: 'ring', predictedTimeS: bytes * 1e-9, intervalS: [1e-9, 1e-5] }],
    }));
    const lines = curvesOf(answers, [16, 1024], [times({ algorithm: 'linear', medianTimeS: 5e-6 })], 1);
    expect(lines.map((line) => line.name)).toEqual(['ring', 'linear', 'default, predicted', 'linear, observed']);
    expect(lines[3]).toMatchObject({ color: 1, points: true, values: [null, 5e-6] });
    expect(lines[0]?.band?.low).toEqual([1e-9, 1e-9]);
  });
});

describe('jobs', () => {
  it('compare with the default of the same scenario, jobs before benchmarks', () => {
    const rows = [times({ algorithm: 'chain', medianTimeS: 2e-6, timingCount: '10', totalTimeS: 2e-5 }), times({ blockBytes: '64', medianTimeS: 1e-6, totalTimeS: 9e-5 })];
    const observed = [
      times({ medianTimeS: 5e-6, measurement: 'MEASUREMENT_JOB' }),
      times({ medianTimeS: 9e-6, measurement: 'MEASUREMENT_BENCHMARK', algorithm: 'chain' }),
      times({ medianTimeS: 1, ranks: '16' }),
    ];
    const calls = compareWithDefault(rows, observed);
    expect(calls.map((each) => each.row.blockBytes)).toEqual(['64', '1024']);
    expect(calls[1]?.savedS).toBeCloseTo(3e-5);
    expect(calls[0]?.savedS).toBeUndefined();
  });
});

it('elements are told only where they tell calls apart', () => {
  expect(severalElements([times({}), times({ blockBytes: '8' }), times({ typeBytes: '8', blockBytes: '2' })]).size).toBe(0);
  expect(severalElements([times({}), times({ typeBytes: '8' })]).size).toBe(1);
});

describe('a job of a link', () => {
  it('is found behind the newest ones', async () => {
    const asked = answerWith((_, { pageToken }) => pageToken === 'more'
      ? { jobs: [{ name: 'old', machines: ['machines/b'] }], nextPageToken: 'rest' }
      : { jobs: [{ name: 'new' }], nextPageToken: pageToken === '' ? 'more' : '' });
    expect(await findJob('old')).toEqual({ job: { name: 'old', machines: ['machines/b'] } });
    expect(asked.map(([, request]) => request.pageToken)).toEqual(['', 'more']);
    expect(await findJob('none')).toEqual({ job: undefined });
    expect(asked).toHaveLength(5);
  });
  it('is not looked for without end', async () => {
    const asked = answerWith(() => ({ jobs: [{ name: 'new' }], nextPageToken: 'more' }));
    expect(await findJob('old')).toEqual({});
    expect(asked).toHaveLength(20);
  });
  it('is shown on the machine of the link, if it ran there', () => {
    const job = { name: 'wave', machines: ['machines/a', 'machines/b'] };
    expect(['b', 'c', ''].map((wanted) => machineOf(job, wanted))).toEqual(['b', 'a', 'a']);
    expect(machineOf(undefined, 'b')).toBe('');
  });
  it('keeps a period that is one', () => {
    expect([null, 'the last week', 'constructor', 'year'].map(periodOf)).toEqual(['all time', 'the last week', 'all time', 'all time']);
  });
});

it('what was observed is asked for the calls of a job alone', () => {
  expect(filtersOf([times({}), times({ blockBytes: '8' }), times({ collective: 'scan' }), times({ collective: 'scan', nodes: '3' })])).toEqual([
    { library: 'openmpi-4.1', collective: 'bcast', nodes: 2, ppn: 4 }, { library: 'openmpi-4.1', collective: 'scan', nodes: 0, ppn: 4 }]);
  expect(filtersOf([times({ nodes: '2' }), times({ nodes: '3' }), times({ nodes: '2' })])[0]?.nodes).toBe(0);
});

describe('a change of the revision', () => {
  // A coxd with a machine: its revisions, newest first, and which is pinned.
  const machine = (pinnedRevision: number, revisions: number[]) => {
    const state = { pinnedRevision, revisions };
    answerWith((method, { name }) => {
      const revision = Number(String(name).split('/').pop()?.replace('-', '0'));
      if (method.endsWith('PinProfile')) state.pinnedRevision = revision;
      if (method.endsWith('RollbackProfile')) Object.assign(state, { pinnedRevision: 0, revisions: [revision, ...state.revisions] });
      if (method.endsWith('ListProfiles')) return { profiles: state.revisions.map((each) => ({ revision: each })) };
      return { pinnedRevision: state.pinnedRevision };
    });
    return state;
  };
  it('brings back the pin that coxd had', async () => {
    const state = machine(2, [3, 2, 1]);
    const undo = await change('a', 'pin', 1);
    expect(state.pinnedRevision).toBe(1);
    await undo();
    expect(state.pinnedRevision).toBe(2);
    await (await change('a', 'pin', 0))();
    expect(state).toEqual({ pinnedRevision: 2, revisions: [3, 2, 1] });
  });
  it('brings back the newest revision and the pin after rolling back', async () => {
    const state = machine(2, [3, 2, 1]);
    const undo = await change('a', 'rollback', 1);
    expect(state).toEqual({ pinnedRevision: 0, revisions: [1, 3, 2, 1] });
    await undo();
    expect(state).toEqual({ pinnedRevision: 2, revisions: [3, 1, 3, 2, 1] });
  });
});

describe('runs of an application', () => {
  it('have names that begin alike', () => {
    expect(['wave-07', 'transpose-tuned', 'app', '12'].map(stemOf)).toEqual(['wave', 'transpose', 'app', '1']);
  });
  it('compare the calls that both made, weighed by the first run', () => {
    const first = [times({ medianTimeS: 4, timingCount: '10' }), times({ blockBytes: '8', medianTimeS: 1, timingCount: '20' })];
    const faster = [times({ algorithm: 'ring', medianTimeS: 1, timingCount: '1000' }), times({ blockBytes: '8', medianTimeS: 1, timingCount: '1' })];
    const another = [times({ collective: 'scan' })];
    expect(runRatios([first, faster, another])).toEqual([1, 0.5, undefined]);
    expect(runRatios([])).toEqual([]);
  });
});

describe('trials', () => {
  const ran = (algorithm: string, part: Partial<ObservedTimes> = {}) => ({ row: times({ algorithm, ...part }) });
  const calls = [ran('default'), ran('ring'), ran('chain'), ran('linear'), ran('ring', { blockBytes: '64' })];
  const earlier = ['ring', 'linear'].map((algorithm) => times({ algorithm }));
  const [cell] = questionsOf('m', [times({ algorithm: 'ring' })]);
  it('are first runs, and what is not chosen today', () => {
    const trials = trialsOf(calls, earlier, new Map([[cell?.key ?? '', 'ring']]));
    expect(trials.map((trial) => [trial.row.algorithm, trial.row.blockBytes, trial.isFirst, trial.choice])).toEqual([
      ['chain', '1024', true, 'ring'], ['linear', '1024', false, 'ring'], ['ring', '64', true, undefined]]);
    expect(trials.map((trial) => outcomeOf(trial).text)).toEqual(['ring is chosen', 'ring is chosen', 'no choice today']);
    const adopted = trialsOf([ran('chain')], earlier, new Map([[cell?.key ?? '', 'chain']]));
    expect(adopted.map(outcomeOf)).toEqual([{ tone: 'good', text: 'chosen since' }]);
    expect(outcomeOf({ ...ran('ring'), isFirst: true, choice: 'default' }).text).toBe('the default stays');
  });
  it('ask once about each scenario that ran another algorithm', () => {
    expect(questionsOf('m', calls.map((each) => each.row)).map((each) => each.request.blockBytes)).toEqual(['1024', '64']);
    expect(cell?.request).toMatchObject({ machine: 'm', library: 'openmpi-4.1', collective: 'bcast', nodes: '2', ppn: '4', ranks: '8' });
  });
});

describe('savings by day', () => {
  const first = new Date(2026, 10, 17); // a Tuesday, in the browser's zone
  const on = (day: number, savedS: number, half?: number, comparedCallCount = 9) => ({
    startTime: new Date(2026, 10, day).toISOString(), comparedCallCount, savedS, intervalS: half === undefined ? [] : [savedS - half, savedS + half],
  });
  it('add up over machines, with their intervals', () => {
    const total = { comparedCallCount: 9, savedS: 1000, intervalS: [0, 2000] };
    const days = savedByDay([{ rows: [total, on(17, 10, 3), on(19, -5, 1)] }, { rows: [total, on(17, 20, 4), on(18, 7, 1, 0)] }, {}], first);
    expect(days.map((day) => day.savedS)).toEqual([30, undefined, -5, undefined, undefined, undefined, undefined]);
    expect(days.map((day) => day.halfS)).toEqual([5, undefined, 1, undefined, undefined, undefined, undefined]);
    expect(days.map((day) => new Date(day.startMs).getDate())).toEqual([17, 18, 19, 20, 21, 22, 23]);
  });
  it('say what is not known', () => {
    const [known, unknown] = savedByDay([{ rows: [on(17, 10)] }], first);
    expect(known).toMatchObject({ savedS: 10, halfS: undefined });
    expect(known && dayTitle(known)).toMatch(/17.*: 10\.0 s$/);
    expect(unknown && dayTitle(unknown)).toContain('nothing was compared');
  });
  it('survive a week with a change of the clock', () => {
    // Buckets have 24 h, so they begin an hour beside midnight after the change.
    const rows = Array.from({ length: 7 }, (_, i) => ({ comparedCallCount: 1, savedS: i + 1, startTime: new Date(first.getTime() + i * 86_400_000 + 3_600_000).toISOString() }));
    expect(savedByDay([{ rows }], first).map((day) => day.savedS)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });
});

it('a box has sides as alike as its nodes allow', () => {
  expect(sidesOf(64, 2)).toEqual([8, 8]);
  expect(sidesOf(64, 3)).toEqual([4, 4, 4]);
  expect(sidesOf(24, 3)).toEqual([4, 3, 2]);
  expect(sidesOf(7, 2)).toEqual([7, 1]);
  expect(sidesOf(1, 2)).toEqual([1, 1]);
});

describe('savings', () => {
  const row = { callCount: 200, comparedCallCount: 150, savedS: 7 * 3600, spentS: 3600, intervalS: [7 * 1800, 7 * 5400] };
  it('are per day, with their interval', () => {
    expect(savedPerDay(row).text).toBe('60.0 min');
    expect(savedPerDay(row).title).toContain('7.00 h, 90 % within 3.50 h to 10.5 h; 75 % of 200');
    expect(savedTone(row)).toBe('good');
    expect(savedTone({ ...row, intervalS: [-1, 2] })).toBe('plain');
    expect(savedTone({ ...row, savedS: -9, intervalS: [-12, -2] })).toBe('bad');
  });
  it('of machines together have the interval of their sum', () => {
    const [three, four] = [{ ...row, savedS: 10, intervalS: [7, 13] }, { ...row, savedS: -5, intervalS: [-9, -1] }];
    expect(sumOf([three, four, undefined, {}])).toMatchObject({ savedS: 5, intervalS: [0, 10], comparedCallCount: 300 });
    expect(savedTone(sumOf([three]))).toBe('good');
    expect(savedTone(sumOf([three, four]))).toBe('plain');
    expect(sumOf([three, { ...four, intervalS: [] }]).intervalS).toEqual([]);
    expect(isCompared(sumOf([]))).toBe(false);
  });
  it('without canaries say so', () => {
    expect(savedPerDay({ callCount: 5 })).toMatchObject({ text: 'no canaries' });
    expect(savedPerDay({ callCount: 5 }).title).toContain('--canary');
    expect(savedPerDay({}).text).toBe('–');
    expect(savedPerDay(undefined).text).toBe('…');
  });
  it('a withdrawal says what was withdrawn and why', () => {
    const text = withdrawalText({ collective: 'bcast', library: 'mpich-4.0', nodes: '2', ppn: '4', minBlockBytes: '1024', maxBlockBytes: '2047', factor: 1.5, pairCount: '9', jobCount: '3' });
    expect(text).toContain('bcast of 1 KiB to 2.00 KiB on 2 × 4 ranks');
    expect(text).toContain("1.50 times the default's time in 9 comparisons by 3 jobs");
  });
});

describe('drifts', () => {
  it('of all sizes say so', () => {
    expect(sizesText({ maxBlockBytes: '9223372036854775807' })).toBe('all block sizes');
    expect(sizesText({ minBlockBytes: '4096', maxBlockBytes: '9223372036854775807' })).toBe('from 4 KiB');
    expect(sizesText({ minBlockBytes: '4096', maxBlockBytes: '8192' })).toBe('4 KiB to 8 KiB');
  });
  it('evidence is divided by what each cell took before', () => {
    const cell = { library: 'openmpi-4.1', collective: 'bcast', algorithm: 'default', nodes: '2', ppn: '4', ranks: '8', blockBytes: '1024' };
    const at = (second: number, medianTimeS: number, part: Partial<ObservedTimes> = {}) =>
      times({ startTime: new Date(second * 1000).toISOString(), medianTimeS, ...part });
    const rows = [at(30, 6), at(10, 2), at(20, 2), at(40, 6), at(10, 99, { blockBytes: '8' })];
    const { xs, lines } = evidenceSeries(rows, [cell, { ...cell, blockBytes: '4096' }]);
    expect(xs).toEqual([10, 20, 30, 40]);
    expect(lines).toEqual([{ name: 'bcast default, 1 KiB, 2 × 4', values: [1, 1, 3, 3] }]);
  });
});

describe('accuracy over revisions', () => {
  it('asks about few revisions, the first and the last among them', () => {
    expect(someRevisions([3, 1, 2], 12)).toEqual([1, 2, 3]);
    const some = someRevisions(Array.from({ length: 90 }, (_, i) => i + 5), 12);
    expect([some.length, some[0], some[11]]).toEqual([12, 5, 94]);
  });
  it('is the error of the model that answers', () => {
    const answer = { model: 'hockney', rows: [{ models: [{ model: 'logp', error: { medianError: 3 } }, { model: 'hockney', error: { medianError: 0.2 } }], leftOut: { medianError: 'Infinity' } }] };
    expect(revisionError(answer)).toEqual({ model: 0.2, leftOut: undefined });
    expect(revisionError({})).toEqual({ model: undefined, leftOut: undefined });
  });
});

describe('live', () => {
  it('a revision that comes again is no event', () => {
    const first = addEvent([], { at: 1, profile: { name: 'machines/a/profiles/1' } });
    expect(addEvent(first, { at: 2, profile: { name: 'machines/a/profiles/1' } })).toHaveLength(1);
    expect(addEvent(first, { at: 2, profile: { name: 'machines/a/profiles/2' } })[0]?.at).toBe(2);
  });
  it('buckets are there where nothing came', () => {
    const start = Date.UTC(2026, 0, 1) / 1000;
    const rows = [times({ startTime: '2026-01-01T00:00:10Z', timingCount: '5', totalTimeS: 1 }), times({ startTime: '2026-01-01T00:00:10Z', timingCount: '2', totalTimeS: 1 })];
    expect(bucketsOf(rows, start, start + 25).map((bucket) => bucket.timings)).toEqual([0, 7, 0]);
  });
});

it('the history of a parameter runs from old to new, with 90 % bars', () => {
  const profile = (revision: number, value: number, stderr: number) =>
    ({ name: `p/${revision}`, revision, parameters: [{ model: 'hockney', level: 'network', name: 'alpha', value, stderr, unit: 's' }] });
  const history = historyOf([profile(2, 2e-6, 1e-6), profile(1, 3e-6, 0)], 'hockney.network.alpha');
  expect(history.revisions).toEqual([1, 2]);
  expect(history.values).toEqual([3e-6, 2e-6]);
  expect(history.high[1]).toBeCloseTo(3.645e-6, 9);
  expect(history.low[0]).toBe(3e-6);
  expect(historyOf([], 'x').unit).toBe('');
});

it('the shape is what the address says, else what was observed most', () => {
  const observed = [times({}), times({ blockBytes: '2' }), times({ nodes: '9', library: 'mpich-4.0' })];
  expect(observedShapes(observed)[0]).toEqual({ library: 'openmpi-4.1', nodes: 2, ppn: 4 });
  expect(chooseShape(new URLSearchParams(), observed, 99, 99)).toEqual({ library: 'openmpi-4.1', nodes: 2, ppn: 4 });
  expect(chooseShape(new URLSearchParams('library=mpich-4.0&ppn=3'), observed, 99, 99)).toEqual({ library: 'mpich-4.0', nodes: 9, ppn: 3 });
  expect(chooseShape(new URLSearchParams('nodes=-1'), [], 16, 8)).toEqual({ library: 'openmpi-4.1', nodes: 16, ppn: 8 });
});

it('sliders change network latencies and bandwidths by their units', () => {
  const specs = [
    { name: 'alpha', level: 'network', unit: 's' }, { name: 'beta', level: 'network', unit: 's/byte' },
    { name: 'rate', level: 'network', unit: 'byte/s' }, { name: 'alpha', level: 'node', unit: 's' }, { name: 'lost', level: 'network', unit: 's' },
  ];
  expect(factorAt(0)).toBe(1);
  expect(factorAt(8)).toBe(4);
  expect(changesOf(specs, (spec) => spec.name !== 'lost', 2, 4, 'm')).toEqual([
    { parameter: 'm.network.alpha', factor: 2 }, { parameter: 'm.network.beta', factor: 0.25 }, { parameter: 'm.network.rate', factor: 4 }]);
  expect(changesOf(specs, () => true, 1, 1, 'm')).toEqual([]);
});

it('a slider is within its range, whatever the address says', () => {
  const at = (value: string) => intParam(new URLSearchParams({ ranks: value }), 'ranks', 5, 1, 20);
  expect(['7', '2000', '-3', 'Infinity', '2.6', 'many'].map(at)).toEqual([7, 20, 1, 20, 3, 5]);
  expect(intParam(new URLSearchParams(), 'ranks', 5, 1, 20)).toBe(5);
});

it('the example pattern is one', () => {
  const pattern = examplePattern();
  expect(pattern.ranks).toBe(64);
  expect(pattern.messages.every((message) => message.source !== message.destination && message.destination < 64)).toBe(true);
});

it('kernels are asked only about ranks that they can have', () => {
  expect(ranksFor('n a multiple of p', 12, 64)).toEqual([2, 4]);
  expect(ranksFor('p a square, n a multiple of its root', 12, 64)).toEqual([4, 16]);
  expect(ranksFor('p a cube q^3, n a multiple of q^2', 4096, 600)).toEqual([8, 64, 512]);
  expect(ranksFor('', 7, 64)).toEqual([]);
});
