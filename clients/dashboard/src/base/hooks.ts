// Asking coxd from a page: the last answer stays until the next one is there, a slow answer says
// that it works, and a coxd that is away is asked again.
import { useEffect, useRef, useState } from 'preact/hooks';
import { CallError, call, wait } from '../api/connect';

export const SLOW_MS = 300;
const RETRY_MS = 2000;

export interface Asked<T> {
  data?: T;
  error?: CallError;
  isCurrent?: boolean; // data answers the question, not an earlier one
  slow: boolean; // waiting for longer than SLOW_MS
  again: () => void;
}

const toError = (error: unknown): CallError =>
  error instanceof CallError ? error : new CallError('unknown', String(error));

// Asks when `key` changes, and every `everyMs` if that is not 0. A null key asks nothing.
export function useAsk<T>(key: string | null, ask: (signal: AbortSignal) => Promise<T>, everyMs = 0): Asked<T> {
  const [state, setState] = useState<{ data?: T; of?: string; error?: CallError; slow: boolean }>({ slow: false });
  const [round, setRound] = useState(0);
  const latest = useRef(ask);
  latest.current = ask;
  useEffect(() => {
    if (key === null) {
      setState({ slow: false });
      return undefined;
    }
    const abort = new AbortController();
    const run = async () => {
      while (!abort.signal.aborted) {
        const timer = setTimeout(() => setState((old) => ({ ...old, slow: true })), SLOW_MS);
        let pause = everyMs;
        try {
          const data = await latest.current(abort.signal);
          if (abort.signal.aborted) return;
          setState({ data, of: key, slow: false });
        } catch (caught) {
          if (abort.signal.aborted) return;
          const error = toError(caught);
          setState((old) => ({ data: old.data, of: old.of, error, slow: false }));
          if (error.code === 'unavailable') pause = RETRY_MS;
        } finally {
          clearTimeout(timer);
        }
        if (pause === 0) return;
        await wait(pause, abort.signal);
      }
    };
    void run();
    return () => abort.abort();
  }, [key, round, everyMs]);
  return { ...state, isCurrent: key !== null && state.of === key, again: () => setRound((n) => n + 1) };
}

// One call of the API.
export function useCall<T>(method: string, request: object | null, everyMs = 0): Asked<T> {
  const key = request === null ? null : `${method} ${JSON.stringify(request)}`;
  return useAsk<T>(key, (signal) => call<T>(method, request ?? {}, signal), everyMs);
}

// All pages of a list, at most `most` items.
export async function callPages<Response extends { nextPageToken?: string }, Item>(
  method: string,
  request: object,
  items: (response: Response) => Item[] | undefined,
  signal: AbortSignal,
  most = 20000,
): Promise<Item[]> {
  const all: Item[] = [];
  let pageToken = '';
  do {
    const response = await call<Response>(method, { ...request, pageToken }, signal);
    all.push(...(items(response) ?? []));
    pageToken = response.nextPageToken ?? '';
  } while (pageToken !== '' && all.length < most);
  return all;
}

// The time, again every `everyMs`: for "5 s ago".
export function useNow(everyMs = 5000): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}

// Calls of `run` with the latest argument; while one runs, only the newest of the later ones waits.
// For sliders: answers follow the hand as fast as coxd answers.
export class Latest<Argument> {
  private running = false;
  private next: { argument: Argument } | null = null;

  constructor(private readonly run: (argument: Argument) => Promise<void>) {}

  async push(argument: Argument): Promise<void> {
    if (this.running) {
      this.next = { argument };
      return;
    }
    this.running = true;
    try {
      for (let now: { argument: Argument } | null = { argument }; now !== null; now = this.next) {
        this.next = null;
        await this.run(now.argument);
      }
    } finally {
      this.running = false;
    }
  }
}
