// A coxd of a test's own, on ports of its own, with calls of its API.
import { spawn, spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PATIENCE_MS = 30_000;

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// Waits until `condition` (which may throw) is true.
export async function until(what, condition, patienceMs = PATIENCE_MS) {
  const deadline = Date.now() + patienceMs;
  let last;
  while (Date.now() < deadline) {
    try {
      if (await condition()) return;
      last = 'it stayed false';
    } catch (error) {
      last = error;
    }
    await pause(50);
  }
  throw new Error(`waited ${patienceMs} ms for: ${what} (${last})`);
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

export class Daemon {
  constructor(coxd, cox) {
    this.coxd = coxd;
    this.coxBinary = cox;
    this.folder = mkdtempSync(join(tmpdir(), 'cox-dashboard-'));
    this.log = join(this.folder, 'log');
    this.process = null;
  }

  async start() {
    this.port ??= await freePort();
    this.url ??= `http://127.0.0.1:${this.port}`;
    const log = openSync(this.log, 'a');
    this.process = spawn(this.coxd, ['--data', join(this.folder, 'data'),
      '--listen', `unix:${join(this.folder, 'socket')}`, '--http', `127.0.0.1:${this.port}`,
      '--refine-interval', '0.2s'], { stdio: ['ignore', log, log] });
    const started = this.process;
    await until('coxd to be ready', async () => {
      if (started.exitCode !== null) throw new Error(`coxd ended: ${readFileSync(this.log, 'utf8')}`);
      return (await fetch(`${this.url}/readyz`)).status === 200;
    });
  }

  async stop() {
    const ending = this.process;
    this.process = null;
    if (ending === null || ending.exitCode !== null) return;
    const ended = new Promise((resolve) => ending.on('exit', resolve));
    ending.kill('SIGTERM');
    await ended;
  }

  async end() {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  cox(...words) {
    const run = spawnSync(this.coxBinary, ['--server', `unix:${join(this.folder, 'socket')}`, ...words],
      { encoding: 'utf8' });
    if (run.status !== 0) throw new Error(`cox ${words.join(' ')}: ${run.stderr}${run.stdout}`);
    return run.stdout;
  }

  async call(method, request) {
    const response = await fetch(`${this.url}/cox.v1.${method}`, {
      method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(request),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method}: ${response.status} ${text}`);
    return JSON.parse(text);
  }

  note(text) {
    appendFileSync(this.log, `-- ${text}\n`);
  }
}
