// Calls of coxd's API by the Connect protocol: JSON, one request and one answer, or a stream.

// An error of a call, as coxd says it.
export class CallError extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly field = '',
  ) {
    super(message);
  }
}

interface ErrorJson {
  code?: string;
  message?: string;
  details?: { debug?: { fieldViolations?: { field?: string }[] } }[];
}

export function toCallError(error: ErrorJson, fallback: string): CallError {
  const violations = (error.details ?? []).flatMap((d) => d.debug?.fieldViolations ?? []);
  return new CallError(error.code ?? 'unknown', error.message ?? fallback, violations[0]?.field ?? '');
}

const TOKEN_KEY = 'cox-token';
const memory = new Map<string, string>();

// The token that calls carry, for this tab only.
export function token(): string {
  try {
    return sessionStorage.getItem(TOKEN_KEY) ?? '';
  } catch {
    return memory.get(TOKEN_KEY) ?? '';
  }
}

// Without what a token never has. Pasted texts may bring blanks that nobody sees (U+200B), and
// fetch() throws at them as if coxd were away.
export function setToken(value: string): void {
  const clean = value.replace(/[^\x21-\x7e]/g, '');
  try {
    sessionStorage.setItem(TOKEN_KEY, clean);
  } catch {
    memory.set(TOKEN_KEY, clean);
  }
}

function headers(type: string): Record<string, string> {
  const all: Record<string, string> = { 'Content-Type': type, 'Connect-Protocol-Version': '1' };
  if (token() !== '') all.Authorization = `Bearer ${token()}`;
  return all;
}

async function post(method: string, type: string, body: BodyInit, signal?: AbortSignal) {
  try {
    return await fetch(`cox.v1.${method}`, { method: 'POST', headers: headers(type), body, signal });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new CallError('unavailable', 'coxd does not answer. Is it running? The page asks again.');
  }
}

async function refusal(response: Response): Promise<CallError> {
  const text = await response.text();
  try {
    return toCallError(JSON.parse(text) as ErrorJson, text);
  } catch {
    return new CallError('unknown', `HTTP status ${response.status}: ${text.slice(0, 200)}`);
  }
}

// `method`: "MachineService/ListMachines".
export async function call<Response>(
  method: string,
  request: object,
  signal?: AbortSignal,
): Promise<Response> {
  const response = await post(method, 'application/json', JSON.stringify(request), signal);
  if (!response.ok) throw await refusal(response);
  return (await response.json()) as Response;
}

const END_OF_STREAM = 2;

export function envelope(message: object): Uint8Array {
  const bytes = new TextEncoder().encode(JSON.stringify(message));
  const out = new Uint8Array(bytes.length + 5);
  new DataView(out.buffer).setUint32(1, bytes.length);
  out.set(bytes, 5);
  return out;
}

// Cuts a stream of bytes, which comes in pieces of any size, into envelopes.
export class Envelopes {
  private rest = new Uint8Array(0);

  push(piece: Uint8Array): { flags: number; message: unknown }[] {
    const joined = new Uint8Array(this.rest.length + piece.length);
    joined.set(this.rest);
    joined.set(piece, this.rest.length);
    const view = new DataView(joined.buffer);
    const found: { flags: number; message: unknown }[] = [];
    let at = 0;
    while (joined.length - at >= 5) {
      const size = view.getUint32(at + 1);
      if (joined.length - at - 5 < size) break;
      const text = new TextDecoder().decode(joined.subarray(at + 5, at + 5 + size));
      found.push({ flags: view.getUint8(at), message: JSON.parse(text) });
      at += 5 + size;
    }
    this.rest = joined.slice(at);
    return found;
  }
}

// Sends all requests, hands each answer to `onMessage`, and returns when the stream ends well.
// `onOpen` hears that coxd has accepted the call: the first message may be days away.
export async function stream<Response>(
  method: string,
  requests: object[],
  onMessage: (message: Response) => void,
  signal?: AbortSignal,
  onOpen?: () => void,
): Promise<void> {
  const body = new Blob(requests.map((request) => envelope(request)));
  const response = await post(method, 'application/connect+json', body, signal);
  if (!response.ok || response.body === null) throw await refusal(response);
  onOpen?.();
  const reader = response.body.getReader();
  const envelopes = new Envelopes();
  for (;;) {
    const { done, value } = await reader.read().catch((error: unknown) => {
      if (signal?.aborted) throw error;
      throw new CallError('unavailable', 'the connection to coxd broke');
    });
    if (done) throw new CallError('unavailable', 'the connection to coxd ended');
    for (const { flags, message } of envelopes.push(value)) {
      if (flags !== END_OF_STREAM) {
        onMessage(message as Response);
        continue;
      }
      const { error } = message as { error?: ErrorJson };
      if (error) throw toCallError(error, 'the stream ended');
      return;
    }
  }
}

export const wait = (ms: number, signal?: AbortSignal) =>
  new Promise<void>((resolve) => {
    // A page that stays open waits again and again with the same signal.
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
  });

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5000;

// Keeps a stream open until `signal`: after each end it connects again, at first soon, then less
// often. `onState` hears whether it is connected.
export async function watch<Response>(
  method: string,
  request: object,
  onMessage: (message: Response) => void,
  onState: (connected: boolean, why: string) => void,
  signal: AbortSignal,
): Promise<void> {
  let pause = FIRST_PAUSE_MS;
  while (!signal.aborted) {
    let why = 'the stream ended';
    try {
      await stream<Response>(method, [request], (message) => {
        pause = FIRST_PAUSE_MS;
        onMessage(message);
      }, signal, () => onState(true, ''));
    } catch (error) {
      why = error instanceof Error ? error.message : String(error);
    }
    if (signal.aborted) return;
    onState(false, why);
    await wait(pause, signal);
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
  }
}
