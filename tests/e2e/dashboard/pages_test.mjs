// The dashboard in a real browser, against a real coxd: each page's main task as a person does it,
// axe-core, the console, and a restart of coxd. Screenshots stay as artefacts.
// usage: node pages_test.mjs COXD COX SOURCE_DIR ARTEFACTS_DIR
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { addMachines, fill } from './data.mjs';
import { Daemon, until } from './daemon.mjs';

const [coxd, cox, source, artefacts] = process.argv.slice(2);
const SKIPPED = 77;
const MOST_BYTES = 300 * 1024;

const chromium = [process.env.COX_CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
  .find((path) => path && existsSync(path));
if (chromium === undefined) {
  console.log('skipped: no Chromium is installed (deploy/install-packages test), or COX_CHROMIUM does not name it');
  process.exit(SKIPPED);
}
const require = createRequire(join(source, 'clients/dashboard/package.json'));
const { chromium: browserType } = require('playwright-core');
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
mkdirSync(artefacts, { recursive: true });

const daemon = new Daemon(coxd, cox);
const complaints = [];
let away = false; // while coxd is away, failed requests are no fault of the page

async function checkAccessibility(page, name) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
  const said = violations.map((violation) =>
    `${violation.id}: ${violation.help}: ${violation.nodes.slice(0, 3).map((node) => `${node.html} ${node.failureSummary}`).join(' | ')}`);
  assert.deepEqual(said, [], `axe-core on ${name}`);
}

// No page is wider than the window: only its tables scroll.
async function checkWidth(page, name) {
  const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.ok(over <= 0, `${name} is ${over} px wider than the window`);
}

async function open(page, route) {
  await page.goto(`${daemon.url}/#/${route}`);
  await page.locator('main h1').waitFor();
}

// Everything that was asked has been answered.
const settled = (page) => until('the page to have its answers', async () => (await page.locator('.bar').count()) === 0);

async function shot(page, name) {
  await page.evaluate(() => {
    document.querySelectorAll('.scroll').forEach((element) => element.scrollTo(0, 0));
    scrollTo(0, 0);
  });
  await page.mouse.move(0, 0);
  await page.screenshot({ path: join(artefacts, `${name}.png`), fullPage: true });
  // What fits the window, for docs/images.
  await page.screenshot({ path: join(artefacts, `${name}-top.png`) });
}

async function finish(page, name) {
  await settled(page);
  assert.deepEqual(await page.locator('.error').allTextContents(), [], `errors on ${name}`);
  await checkWidth(page, name);
  await checkAccessibility(page, name);
  await shot(page, name);
  await page.getByRole('button', { name: 'Dark', exact: true }).click();
  await checkAccessibility(page, `${name}, dark`);
  await shot(page, `${name}-dark`);
  await page.getByRole('button', { name: 'Light', exact: true }).click();
}

async function downloadOf(page, act) {
  const [download] = await Promise.all([page.waitForEvent('download'), act()]);
  return readFileSync(await download.path());
}

const tests = {
  async 'an empty coxd says what to do'(page) {
    await open(page, 'jobs');
    await page.getByText('No job has reported yet.').waitFor();
    await page.getByText('cox run --machine').waitFor();
    await checkAccessibility(page, 'empty jobs');
    await open(page, 'fleet');
    await page.getByText('There is no machine yet.').waitFor();
    await page.getByText('Published machines').waitFor();
    await shot(page, 'fleet-empty');
    // The other pages show a published machine, and say what is missing.
    for (const [route, text] of Object.entries({ machine: 'No tuned call', decisions: 'What to run', whatif: 'Copy link', live: 'connected', patterns: 'src,dst,bytes' })) {
      await open(page, route);
      await page.getByText(text).first().waitFor();
      await settled(page);
      assert.deepEqual(await page.locator('.error').allTextContents(), [], `errors on an empty ${route}`);
      await checkAccessibility(page, `empty ${route}`);
      await shot(page, `${route}-empty`);
    }
  },

  async 'a full load is small and safe'() {
    await fill(daemon, source);
    const fresh = await browser.newContext(); // nothing is cached
    const page = await fresh.newPage();
    const sizes = [];
    const loaded = (response) => sizes.push(response.request().sizes().then((size) => size.responseBodySize + size.responseHeadersSize));
    page.on('response', loaded);
    const answer = await page.goto(`${daemon.url}/`);
    await page.getByRole('row', { name: /smpi-switch/ }).waitFor();
    page.off('response', loaded);
    const bytes = (await Promise.all(sizes)).reduce((a, b) => a + b, 0);
    console.log(`  full load: ${bytes} bytes`);
    assert.ok(bytes <= MOST_BYTES, `${bytes} bytes`);
    const policy = answer.headers()['content-security-policy'];
    assert.match(policy, /default-src 'none'/);
    assert.doesNotMatch(policy, /unsafe/);
    assert.equal(answer.headers()['x-content-type-options'], 'nosniff');
    await fresh.close();
  },

  async 'Fleet: what needs attention comes first'(page) {
    await open(page, 'fleet');
    const first = page.getByRole('region', { name: 'Machines of this site' }).getByRole('row').nth(1);
    await first.getByText('fabric').waitFor();
    await first.getByText(/drifted/).waitFor();
    // What canaries show: the saved time, and what was withdrawn.
    const tuned = page.getByRole('row', { name: /smpi-torus/ });
    await tuned.getByText('withdrawn').waitFor();
    const saved = (await tuned.locator('td[title^="saved in the last"]').innerText()).trim();
    const { rows } = await daemon.call('HistoryService/GetSavings', { machine: 'smpi-torus' });
    const shown = /^(−?)([\d.]+) (s|ms|min)$/.exec(saved);
    assert.ok(shown, saved);
    const factor = { s: 1, ms: 1e-3, min: 60 }[shown[3]];
    const savedS = (shown[1] === '' ? 1 : -1) * Number(shown[2]) * factor;
    assert.ok(Math.abs(savedS / (rows[0].savedS / 7) - 1) < 0.01, `${saved} is not a seventh of ${rows[0].savedS} s`);
    // Day by day: in the row, and of the whole fleet.
    await tuned.getByRole('img', { name: /Saved by day on smpi-torus: .*nothing was compared.*90 % within/ }).waitFor();
    await page.getByRole('img', { name: /Saved by day on all machines/ }).waitFor();
    await finish(page, 'fleet');
    await page.getByRole('link', { name: 'smpi-switch', exact: true }).click();
    await page.getByRole('heading', { name: 'Machine', exact: true }).waitFor();
  },

  async 'Machine: parameters, accuracy, pin and undo'(page) {
    await open(page, 'machine?machine=smpi-switch');
    await page.getByRole('button', { name: 'beta' }).first().click();
    await page.getByRole('img', { name: /hockney.*beta/ }).waitFor();
    await page.getByRole('grid', { name: 'Errors of the models' }).waitFor();
    const pinned = async () => (await daemon.call('MachineService/GetMachine', { name: 'machines/smpi-switch' })).pinnedRevision;
    await page.getByRole('button', { name: 'Pin revision 1', exact: true }).click();
    await page.getByRole('dialog').getByText('learns nothing').waitFor();
    await page.getByRole('heading', { name: 'Pin revision 1 of smpi-switch?' }).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    assert.equal(await pinned(), undefined);
    // Somebody else pins another revision, which the page does not know yet: Undo brings back that one.
    await daemon.call('ProfileService/PinProfile', { name: 'machines/smpi-switch/profiles/2' });
    await page.getByRole('button', { name: 'Pin revision 1', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Pin', exact: true }).click();
    await page.getByText('Revision 1 is pinned.').waitFor();
    assert.equal(await pinned(), '1');
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Undone.').waitFor();
    assert.equal(await pinned(), '2');
    await page.getByRole('img', { name: /Median error by revision/ }).waitFor();
    await page.getByRole('button', { name: 'Unpin' }).click();
    await page.getByText('The newest revision answers again.').waitFor();
    assert.equal(await pinned(), undefined);
    // A question about one machine is none about another.
    await page.getByRole('button', { name: 'Pin revision 1', exact: true }).click();
    await page.evaluate(() => {
      location.hash = '#/machine?machine=smpi-torus';
    });
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await open(page, 'machine');
    await until('the address to name the machine', () => page.url().includes('machine='));
    await open(page, 'machine?machine=smpi-switch');
    await page.getByRole('img', { name: /Median error by revision/ }).waitFor();
    await finish(page, 'machine');
  },

  async 'Machine: what tuning saves, and what a drift rests on'(page) {
    await open(page, 'machine?machine=smpi-torus');
    const savings = page.getByRole('region', { name: 'Savings by collective' });
    await savings.getByRole('rowheader', { name: 'all collectives' }).waitFor();
    await savings.getByRole('rowheader', { name: 'allgather' }).waitFor();
    await page.getByLabel('Rows by', { exact: true }).selectOption('application');
    const applications = page.getByRole('region', { name: 'Savings by application' });
    await applications.getByRole('rowheader', { name: 'all applications' }).waitFor();
    await applications.getByRole('rowheader', { name: 'stencil' }).waitFor();
    await page.locator('.timeline').getByText("times the default's time").waitFor();
    await finish(page, 'machine-savings');
    await open(page, 'machine?machine=fabric');
    await page.getByRole('button', { name: 'Show the evidence' }).first().click();
    await page.getByRole('img', { name: /Time against before/ }).first().waitFor();
    await finish(page, 'machine-drift');
  },

  async 'Decisions: choose a cell, see why, copy the text'(page) {
    const started = Date.now();
    await open(page, 'decisions?machine=smpi-switch');
    const grid = page.getByRole('grid', { name: /Decisions for/ });
    await grid.waitFor();
    const tookMs = Date.now() - started;
    console.log(`  first chart after ${tookMs} ms`);
    // By keyboard: to the first cell, down, right, Enter.
    await grid.locator('td[tabindex="0"]').focus();
    for (const key of ['ArrowDown', 'ArrowRight', 'ArrowRight', 'End', 'ArrowLeft', 'ArrowLeft', 'ArrowLeft', 'Enter']) await page.keyboard.press(key);
    await page.getByText('90 % interval').first().waitFor();
    await page.getByText('Why:').waitFor();
    assert.match(page.url(), /collective=.*bytes=\d+/);
    await page.getByText('All candidates at').click();
    await page.getByRole('region', { name: 'Candidates' }).getByRole('row').nth(2).waitFor();
    await page.getByText(', observed').first().waitFor();
    await page.getByRole('button', { name: 'Copy the rules text' }).click();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    const { text } = await daemon.call('AdviceService/GetTuning', {
      machine: 'smpi-switch', library: 'openmpi-4.1', nodes: await valueOf(page, 'Nodes'), ppn: await valueOf(page, 'Ranks per node'), formatName: 'rules',
    });
    const decisions = (rules) => rules.split('\n').filter((line) => !line.startsWith('#')).join('\n');
    assert.equal(decisions(copied), decisions(text));
    await page.getByText('Rests on').waitFor();
    await page.getByLabel('Compare with', { exact: true }).selectOption('smpi-torus');
    await page.getByText('smpi-torus differs').waitFor();
    await page.getByRole('region', { name: 'Differences' }).getByRole('row').nth(1).waitFor();
    await page.getByLabel('Compare with revision').selectOption('1');
    await page.getByText('r1 differs').waitFor();
    assert.equal(await page.getByLabel('Compare with', { exact: true }).inputValue(), '');
    await page.getByRole('heading', { name: /^r\d+ against r1$/ }).waitFor();
    await finish(page, 'decisions');
  },

  async 'What if: sliders move the curves, the link keeps them, files come out'(page) {
    await open(page, 'whatif?machine=smpi-switch&collective=bcast');
    const chart = page.locator('.chart');
    await chart.waitFor();
    const bestAt = () => page.locator('.ranges').textContent();
    await page.getByText('Numbers').click();
    const numbers = page.locator('.chart table');
    const before = await numbers.textContent();
    const slider = page.getByLabel('Network latency');
    await slider.focus();
    for (let i = 0; i < 8; ++i) await page.keyboard.press('ArrowRight');
    await page.getByText('4×', { exact: true }).waitFor();
    await until('the curves to follow', async () => (await numbers.textContent()) !== before);
    await page.getByLabel('Topology').selectOption('torus');
    await page.getByText('has no term for topology').waitFor();
    const shared = page.url();
    const csv = (await downloadOf(page, () => page.getByRole('button', { name: 'CSV' }).click())).toString();
    assert.ok(csv.startsWith('block size,'));
    const svg = (await downloadOf(page, () => page.getByRole('button', { name: 'SVG' }).click())).toString();
    assert.match(svg, /<polyline/);
    const png = await downloadOf(page, () => page.getByRole('button', { name: 'PNG' }).click());
    assert.equal(png.subarray(1, 4).toString(), 'PNG');
    const ranges = await bestAt();
    await open(page, 'fleet');
    await page.goto(shared);
    await page.getByText('4×', { exact: true }).waitFor();
    await until('the shared link to show the same', async () => (await bestAt()) === ranges);
    assert.equal(await page.getByLabel('Topology').inputValue(), 'torus');
    await page.getByLabel('Topology').selectOption('');
    await finish(page, 'whatif');
  },

  async 'What if: another topology moves the curves of a model that knows it'(page) {
    await open(page, 'whatif?machine=intel-delta&model=c3&collective=allgather');
    await page.locator('.chart').waitFor();
    await page.getByText('Numbers').click();
    const numbers = page.locator('.chart table');
    const own = await numbers.textContent();
    await page.getByLabel('Topology').selectOption('bus');
    await until('the curves of a bus', async () => (await numbers.textContent()) !== own);
    const bus = await numbers.textContent();
    await page.getByLabel('Topology').selectOption('torus');
    await until('the curves of a torus', async () => ![own, bus].includes(await numbers.textContent()));
    const flat = await numbers.textContent();
    await page.getByLabel('Dimensions').focus();
    await page.keyboard.press('ArrowRight');
    await until('the curves of a torus with three sides', async () => (await numbers.textContent()) !== flat);
    assert.match(page.url(), /topology=torus/);
    assert.match(page.url(), /dims=3/);
    await finish(page, 'whatif-topology');
  },

  async 'Jobs: what ran, and before and after'(page) {
    await open(page, 'jobs');
    await page.getByRole('searchbox', { name: 'Search' }).fill('transpose');
    // The reports of its two nodes are one job.
    const jobs = page.getByRole('region', { name: 'Jobs', exact: true });
    await until('the two runs alone', async () => (await jobs.getByRole('row').count()) === 3);
    await jobs.getByRole('button', { name: 'transpose-tuned' }).click();
    await page.getByText('Nodes that reported').waitFor();
    const trials = page.getByRole('region', { name: 'Trials of transpose-tuned' });
    await trials.getByText('for the first time').first().waitFor();
    await trials.getByText('chosen since').first().waitFor();
    await trials.getByText(/^saved \d/).first().waitFor();
    const table = page.getByRole('region', { name: 'Collectives of transpose-tuned' });
    await table.getByText('as fast').first().waitFor();
    const runs = page.getByRole('region', { name: 'Runs' });
    await runs.getByRole('row', { name: /transpose-untuned/ }).getByText('1.00×').waitFor();
    await runs.getByRole('row', { name: /transpose-tuned/ }).getByText(/^0\.\d\d×$/).waitFor();
    await page.getByRole('img', { name: /Time of the runs of transpose/ }).waitFor();
    await page.getByLabel('Compare with').selectOption('transpose-untuned');
    await table.getByRole('columnheader', { name: 'Change' }).waitFor();
    await table.getByText(/^−\d/).first().waitFor();
    await finish(page, 'jobs');
    await page.locator('section.card', { has: page.getByRole('heading', { name: 'Trials' }) }).screenshot({ path: join(artefacts, 'trials.png') });
    // While the answer about another job is out, no number of this one stands under its name.
    let release;
    const held = new Promise((resolve) => {
      release = resolve;
    });
    await page.route(/SummarizeObservations$/, async (asked) => {
      await held;
      await asked.continue().catch(() => undefined);
    });
    await jobs.getByRole('button', { name: 'transpose-untuned' }).click();
    const next = page.getByRole('region', { name: 'Collectives of transpose-untuned' });
    await next.waitFor();
    assert.equal(await next.getByRole('row').count(), 1, 'the head alone');
    release();
    await page.unroute(/SummarizeObservations$/);
    await next.getByRole('row').nth(1).waitFor();
  },

  async 'Patterns: drop a CSV, see routes priced'(page) {
    await open(page, 'patterns?machine=smpi-switch');
    const file = (name, text) => ({ name, mimeType: 'text/csv', buffer: Buffer.from(text) });
    const input = page.locator('input[type=file]');
    await input.setInputFiles(file('wrong.csv', 'src,dst,bytes\n0,x,8\n'));
    await page.getByText('wrong.csv: line 2').waitFor();
    const rows = Array.from({ length: 16 }, (_, i) => `${i},${(i + 5) % 16},65536`);
    await input.setInputFiles(file('shift.csv', `src,dst,bytes\n${rows.join('\n')}\n`));
    const routes = page.getByRole('region', { name: 'Routes' });
    await routes.getByRole('rowheader', { name: 'direct' }).first().waitFor();
    await page.getByRole('img', { name: /16 ranks/ }).waitFor();
    await page.getByText('Scaling of a kernel').waitFor();
    await finish(page, 'patterns');
    // The file has changed, and kept its name and its number of messages.
    const price = routes.locator('td.number').first();
    const before = await price.getAttribute('title');
    await input.setInputFiles(file('shift.csv', `src,dst,bytes\n${rows.join('\n').replaceAll('65536', '6553600')}\n`));
    await until('other prices', async () => Number.parseFloat(await price.getAttribute('title')) > 10 * Number.parseFloat(before));
  },

  async 'Live: streams, and survives a restart of coxd'(page) {
    await open(page, 'live?machine=smpi-switch');
    await page.locator('.live-state').getByText('connected').waitFor();
    await page.getByRole('img', { name: /Timings per second/ }).waitFor();
    await finish(page, 'live');
    away = true;
    await daemon.stop();
    await page.locator('.live-state').getByText('reconnecting').waitFor();
    await page.getByText('coxd is away').waitFor();
    await shot(page, 'live-away');
    await daemon.start();
    await page.locator('.live-state').getByText('connected').waitFor();
    await page.getByText('coxd answers').waitFor();
    await until('errors to go', async () => (await page.locator('.error').count()) === 0);
    away = false;
    const { profile } = { profile: await daemon.call('ProfileService/RollbackProfile', { name: 'machines/smpi-switch/profiles/1' }) };
    await page.locator('.timeline').getByText(`r${profile.revision}`, { exact: true }).waitFor();
    // A machine without a revision is connected, too. A hidden tab lets its connection go.
    await daemon.call('MachineService/CreateMachine', { machine: { name: 'machines/new', nodes: 2, coresPerNode: 2 } });
    const isStream = (asked) => asked.url().endsWith('WatchProfile');
    await page.goto('about:blank');
    await open(page, 'live?machine=new');
    await page.locator('.live-state').getByText('connected').waitFor();
    const show = (isShown) => page.evaluate((hidden) => {
      Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden });
      document.dispatchEvent(new Event('visibilitychange'));
    }, !isShown);
    await Promise.all([page.waitForEvent('requestfailed', isStream), show(false)]);
    await Promise.all([page.waitForRequest(isStream), show(true)]);
    await page.locator('.live-state').getByText('connected').waitFor();
    // Sums that leave timings out say so.
    await page.route(/SummarizeObservations$/, (asked) => asked.fulfill({ json: { truncated: true } }));
    await page.getByText('Only the newest timings are summed up').waitFor();
    await checkAccessibility(page, 'live, truncated');
    await page.unroute(/SummarizeObservations$/);
  },

  async 'Jobs: of several machines, with many calls and a long name'(page) {
    const MANY = 450;
    const name = 'x'.repeat(128);
    const machines = ['east', 'west'];
    for (const [i, machine] of machines.entries()) {
      await daemon.call('MachineService/CreateMachine', { machine: { name: `machines/${machine}`, nodes: 2, coresPerNode: 2 } });
      await daemon.call('ObservationService/ReportObservations', {
        job: name, sequence: i + 1, source: 'user@head-node', measurement: 'MEASUREMENT_JOB',
        observations: Array.from({ length: i === 0 ? 1 : MANY }, (_, k) => ({
          machine, library: 'openmpi-4.1', collective: 'bcast', algorithm: 'default', nodes: 2, ppn: 2, ranks: 4,
          blockBytes: 8 * (k + 1), timeS: i === 0 ? 4e-3 : 1e-3, count: 10, at: new Date().toISOString(),
        })),
      });
    }
    await open(page, `jobs?job=${name}`);
    const table = page.getByRole('region', { name: `Collectives of ${name}` });
    await table.getByText('4.00 ms', { exact: true }).waitFor();
    assert.equal(await table.getByRole('row').count(), 2, 'the call on one machine');
    await page.getByLabel('Machine', { exact: true }).selectOption('west');
    await table.getByText('1.00 ms', { exact: true }).first().waitFor();
    assert.equal(await table.getByText('4.00 ms', { exact: true }).count(), 0);
    assert.equal(await table.getByRole('row').count(), 201);
    await checkWidth(page, 'a long name');
    await checkAccessibility(page, 'a job of two machines');
    await page.getByRole('button', { name: 'Show 200 more of 250' }).click();
    assert.equal(await table.getByRole('row').count(), 401);
    await page.setViewportSize({ width: 420, height: 800 });
    await checkWidth(page, 'a long name, narrow');
    await page.setViewportSize({ width: 1360, height: 900 });
    await open(page, 'jobs?period=constructor&job=unknown');
    await page.getByText('There is no job unknown.').waitFor();
    await checkAccessibility(page, 'an unknown job');
    await open(page, 'jobs');
    await until('the address to name the job', () => page.url().includes(`job=${name}`));
  },

  async 'What if: recovers, and takes no address amiss'(page) {
    away = true;
    await page.route(/BatchEvaluate$/, (asked) => asked.abort());
    await open(page, 'whatif?machine=smpi-switch&topology=torus&ranks=2000');
    await page.getByText('coxd does not answer').waitFor();
    await page.unroute(/BatchEvaluate$/);
    await page.locator('.chart').waitFor();
    assert.equal(await page.locator('.error').count(), 0);
    away = false;
  },

  async 'a token logs in on the page of the link, also if it was pasted with a mark that nobody sees'(page) {
    away = true; // the console tells of each refusal
    let seen;
    await page.route(/cox\.v1\./, async (asked) => {
      const headers = { ...asked.request().headers() };
      seen = headers.authorization;
      delete headers.authorization;
      if (seen === 'Bearer cox_token') await asked.continue({ headers });
      else await asked.fulfill({ status: 403, json: { code: 'permission_denied', message: 'who are you?' } });
    });
    await page.goto('about:blank');
    await open(page, 'jobs?job=stencil-1');
    await page.getByLabel('Token').fill('cox_to\u200bken ');
    await checkAccessibility(page, 'the login');
    assert.equal(await page.getByRole('link', { name: 'Metrics' }).count(), 0, 'a link has no token');
    await page.getByRole('button', { name: 'Use it' }).click();
    await page.getByRole('region', { name: 'Collectives of stencil-1' }).getByRole('row').nth(1).waitFor();
    await settled(page);
    assert.deepEqual(await page.locator('.error').allTextContents(), []);
    await page.evaluate(() => sessionStorage.clear());
    await page.goto('about:blank');
    await page.unroute(/cox\.v1\./);
    away = false;
  },

  async 'the curl command of the README asks for a recommendation'() {
    const [command] = /^curl .*Recommend.*$/m.exec(readFileSync(join(source, 'README.md'), 'utf8'));
    await daemon.call('MachineService/CreateMachine', { machine: { name: 'machines/mycluster', nodes: 8, coresPerNode: 8 } });
    const here = command.replace('localhost:7078', `localhost:${daemon.port}`);
    assert.notEqual(here, command);
    const run = spawnSync('bash', ['-c', `${here} --silent --show-error`], { encoding: 'utf8' });
    assert.equal(run.status, 0, run.stderr);
    assert.equal(JSON.parse(run.stdout).algorithm, 'default', run.stdout); // nobody measured anything there
  },

  async 'a hundred machines are on one page'(page) {
    await addMachines(daemon);
    await open(page, 'fleet');
    const started = Date.now();
    await page.reload();
    await page.getByRole('row', { name: /rack-100/ }).waitFor();
    console.log(`  all machines after ${Date.now() - started} ms`);
    assert.equal(await page.getByRole('row', { name: /rack-/ }).count(), 100);
    await checkAccessibility(page, 'a large fleet');
  },

  async 'a slow answer blocks nothing and says that it works'(page) {
    const WITH_CALLS = ['fleet', 'machine', 'decisions', 'whatif', 'jobs', 'live', 'patterns'];
    for (const route of WITH_CALLS) {
      let release;
      const held = new Promise((resolve) => {
        release = resolve;
      });
      await page.route(/cox\.v1\./, async (asked) => {
        await held;
        await asked.continue().catch(() => undefined); // the page no longer wants it
      });
      await page.goto('about:blank');
      await page.goto(`${daemon.url}/#/${route}?machine=smpi-switch`);
      await page.locator('main h1').waitFor();
      await page.getByRole('progressbar').or(page.locator('.live-state').getByText('connecting')).first().waitFor();
      await checkAccessibility(page, `${route}, waiting`);
      // The next page opens while the answer is out.
      await page.getByRole('link', { name: route === 'patterns' ? 'Jobs' : 'Patterns', exact: true }).click();
      await page.getByRole('heading', { level: 1, name: route === 'patterns' ? 'Jobs' : 'Patterns' }).waitFor();
      release();
      await settled(page);
      await page.unroute(/cox\.v1\./);
    }
  },

  async 'each answer may be the one that is missing'(page) {
    for (const route of ['machine', 'decisions', 'whatif', 'jobs', 'patterns']) {
      const address = `${daemon.url}/#/${route}?machine=smpi-switch`;
      const methods = new Set();
      const note = (asked) => methods.add(asked.url().match(/cox\.v1\.(\w+\/\w+)$/)?.[1]);
      page.on('request', note);
      await page.goto('about:blank');
      await page.goto(address);
      await page.locator('main h1').waitFor();
      await settled(page);
      page.off('request', note);
      methods.delete(undefined);
      for (const method of methods) {
        const only = new RegExp(`cox\\.v1\\.${method}$`);
        let release;
        const held = new Promise((resolve) => {
          release = resolve;
        });
        await page.route(only, async (asked) => {
          await held;
          await asked.continue().catch(() => undefined);
        });
        await page.goto('about:blank');
        await page.goto(address);
        await page.getByRole('progressbar').first().waitFor();
        await checkAccessibility(page, `${route} without ${method}`);
        release();
        await settled(page);
        await page.unroute(only);
      }
    }
  },

  async 'a link to a machine that is gone says so'(page) {
    away = true; // the question about it is refused
    await open(page, 'decisions?machine=gone');
    await page.getByText('There is no machine gone.').waitFor();
    await settled(page);
    await checkAccessibility(page, 'an unknown machine');
    away = false;
  },

  async 'the keyboard is enough to go from page to page'(page) {
    await page.goto('about:blank');
    await open(page, 'fleet');
    const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim() ?? '');
    const tabTo = async (text) => {
      for (let i = 0; i < 40 && (await focused()) !== text; ++i) await page.keyboard.press('Tab');
      assert.equal(await focused(), text);
    };
    await page.keyboard.press('Tab');
    assert.match(await focused(), /^Skip to/);
    for (const name of ['Jobs', 'What if', 'Machine']) {
      await page.evaluate(() => document.activeElement?.blur());
      await tabTo(name);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
    }
    // What asks first is left with Escape.
    await page.getByRole('button', { name: /^Pin revision/ }).first().focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  },

  async 'a narrow window is enough'(page) {
    await page.setViewportSize({ width: 420, height: 800 });
    for (const route of ['fleet', 'machine', 'decisions', 'whatif', 'jobs', 'live', 'patterns']) {
      await open(page, `${route}?machine=smpi-switch`);
      await settled(page);
      await checkWidth(page, `${route}, narrow`);
      await shot(page, `${route}-narrow`);
    }
  },
};

const valueOf = async (page, label) => Number(await page.getByLabel(label, { exact: true }).inputValue());

let failed = 0;
await daemon.start();
const browser = await browserType.launch({
  executablePath: chromium,
  // In a container there is neither a user namespace for the sandbox nor a large /dev/shm.
  args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
});
try {
  const context = await browser.newContext({ viewport: { width: 1360, height: 900 }, colorScheme: 'light', permissions: ['clipboard-read', 'clipboard-write'] });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  page.on('console', (message) => {
    if (message.type() === 'error' && !away) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  for (const [name, test] of Object.entries(tests)) {
    try {
      await test(page);
      assert.deepEqual(complaints.splice(0), [], 'the console');
      console.log(`ok ${name}`);
    } catch (error) {
      ++failed;
      complaints.splice(0);
      console.log(`FAILED ${name}\n  ${error.stack ?? error}`);
      await shot(page, `failed-${failed}`).catch(() => undefined);
      if (daemon.process === null) await daemon.start();
      away = false;
    }
  }
} finally {
  await browser.close();
  await daemon.end();
}
console.log(`${Object.keys(tests).length - failed} of ${Object.keys(tests).length} passed; screenshots are in ${artefacts}`);
process.exit(failed === 0 ? 0 : 1);
