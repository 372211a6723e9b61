// What the daemon of the test knows: times that were recorded on the test-beds.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const MACHINES = 100;

function rowsOf(path) {
  const [head, ...lines] = readFileSync(path, 'utf8').trim().split('\n').map((line) => line.split(','));
  return lines.map((cells) => Object.fromEntries(head.map((name, i) => [name, cells[i]])));
}

const observation = (row, at) => ({
  machine: row.machine, library: row.library, collective: row.collective, algorithm: row.algorithm,
  nodes: row.nodes, ppn: row.ppn, ranks: row.ranks, blockBytes: row.block_bytes, timeS: Number(row.time_s),
  typeBytes: row.type_bytes, count: row.count ?? 1, at: new Date(at).toISOString(),
});

// A profile with the parameters of two models, as a calibration would give.
const profile = (alphaS, betaSPerByte) => ({
  note: 'recorded',
  parameters: ['node', 'network'].flatMap((level) => [
    { model: 'hockney', level, name: 'alpha', value: alphaS, stderr: alphaS / 20 },
    { model: 'hockney', level, name: 'beta', value: betaSPerByte, stderr: betaSPerByte / 30 },
  ]),
});

export async function fill(daemon, source) {
  const judged = join(source, 'tests/judge/data');
  for (const name of ['smpi-switch', 'smpi-torus', 'smpi-fat-tree']) {
    daemon.cox('observations', 'import', join(judged, `${name}.csv`));
  }
  await daemon.call('ProfileService/CreateProfile', { parent: 'machines/smpi-switch', profile: profile(3e-5, 1e-8) });
  await daemon.call('ProfileService/CreateProfile', { parent: 'machines/smpi-switch', profile: profile(2.8e-5, 9e-9) });
  await jobsOfAnApplication(daemon, rowsOf(join(judged, 'smpi-switch.csv')));
  await jobsWithCanaries(daemon, rowsOf(join(judged, 'smpi-torus.csv')));
  await jobsWithADrift(daemon, rowsOf(join(source, 'tests/integration/learning/recorded/rate_halved.csv')));
}

// A large site.
export async function addMachines(daemon) {
  for (let i = 1; i <= MACHINES; ++i) {
    await daemon.call('MachineService/CreateMachine', {
      machine: { name: `machines/rack-${String(i).padStart(3, '0')}`, nodes: 16 * i, coresPerNode: 64 },
    });
  }
}

// The same application twice: as it was, and with the best algorithm of each call. The second run had
// two nodes, whose agents report apart.
async function jobsOfAnApplication(daemon, rows) {
  const shape = rows.filter((row) => row.nodes === rows[0].nodes && row.ppn === rows[0].ppn);
  const cells = Map.groupBy ? Map.groupBy(shape, (row) => `${row.collective}/${row.block_bytes}`)
    : shape.reduce((map, row) => {
      const key = `${row.collective}/${row.block_bytes}`;
      return map.set(key, [...(map.get(key) ?? []), row]);
    }, new Map());
  const before = [];
  const after = [];
  for (const cell of cells.values()) {
    const ran = cell.find((row) => row.algorithm === 'default');
    if (ran === undefined) continue;
    const best = cell.reduce((a, b) => (Number(b.time_s) < Number(a.time_s) ? b : a));
    before.push(ran);
    after.push(best);
  }
  const now = Date.now();
  for (const [job, chosen, minutes] of [['transpose-untuned', before, 6], ['transpose-tuned@n1', after, 3], ['transpose-tuned@n2', after, 3]]) {
    await daemon.call('ObservationService/ReportObservations', {
      job, sequence: 1, source: 'user@head-node', measurement: 'MEASUREMENT_JOB', awaitLearning: true,
      observations: chosen.flatMap((row) => [0, 1, 2].map((i) => observation({ ...row, count: 40 }, now - minutes * 60_000 + i * 1000))),
    });
  }
}

// Daily runs of an application whose tuned calls have canaries: of one collective an algorithm that is
// faster than the default, of another one that is slower in jobs.
async function jobsWithCanaries(daemon, rows) {
  const DAY_MS = 86_400_000;
  const SECONDS = 120;
  const STEP_S = 2;
  const cells = ['allgather', 'bcast'].map((collective, slower) => {
    const of = rows.filter((row) => row.collective === collective && row.nodes === '4' && row.ppn === '4' && row.block_bytes === '65536');
    const byDefault = of.find((row) => row.algorithm === 'default');
    const sorted = of.filter((row) => row.algorithm !== 'default').sort((a, b) => Number(a.time_s) - Number(b.time_s));
    return { byDefault, chosen: slower ? sorted[sorted.length - 1] : sorted[0] };
  });
  const start = Date.now() - 3_600_000;
  for (let run = 1; run <= 3; ++run) {
    const observations = [];
    for (let second = 0; second < SECONDS; second += STEP_S) {
      const at = start - (3 - run) * DAY_MS + second * 1000;
      for (const { byDefault, chosen } of cells) {
        const scatter = 1 + 0.02 * Math.sin(7 * second + run);
        const add = (row, count, label, factor) => observations.push({
          ...observation({ ...row, count, time_s: Number(row.time_s) * scatter * factor }, at), run: label });
        add(chosen, 1440, '', 1);
        add(chosen, 80, 'peer', 1 + 0.01 * Math.sin(3 * second));
        add(byDefault, 80, 'canary', 1 + 0.01 * Math.cos(5 * second));
      }
    }
    await daemon.call('ObservationService/ReportObservations', {
      job: `stencil-${run}`, sequence: 1, source: 'user@head-node', measurement: 'MEASUREMENT_JOB', awaitLearning: true, observations,
    });
  }
}

// Jobs during which a network became slower; the daemon finds the drift itself.
async function jobsWithADrift(daemon, rows) {
  const now = Date.now();
  const batches = new Map();
  rows.forEach((row, i) => {
    const job = row.job.replace('@', `-${row.phase}@`);
    const batch = batches.get(job) ?? [];
    batch.push(observation(row, now - 300_000 + (i * 240_000) / rows.length));
    batches.set(job, batch);
  });
  const inOrder = [...batches].sort((a, b) => Number(a[0].includes('-after')) - Number(b[0].includes('-after')));
  for (const [job, observations] of inOrder) {
    await daemon.call('ObservationService/ReportObservations', {
      job, sequence: 1, source: 'fabric', measurement: 'MEASUREMENT_JOB', createMachines: true, awaitLearning: true, observations,
    });
  }
}
