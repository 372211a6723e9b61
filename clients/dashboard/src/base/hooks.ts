// Asking coxd from a page: an answer stays until the next one about the same is there, a slow answer
// says that it works, and a coxd that is away is asked again.
import { useEffect, useRef, useState } from 'preact/hooks';
import { CallError, call, wait } from '../api/connect';

export const SLOW_MS = 300;
export const RETRY_MS = 2000;
const MOST_ITEMS = 20_000;

export interface Asked<T> {
  data?: T;
  error?: CallError;
  slow: boolean; // waiting for longer than SLOW_MS
  again: () => void;
}

export interface Known<T> {
  about?: string | null;
  data?: T;
  error?: CallError;
  slow: boolean;
}

export const toError = (error: unknown): CallError =>
  error instanceof CallError ? error : new CallError('unknown', String(error));

// What is known about `about`: numbers of one machine or job must not stand under another's name.
export const knownAbout = <T>(known: Known<T>, about: string | null): Known<T> =>
  known.about === about ? known : { about, slow: known.slow };

// Asks when `key` changes, and every `everyMs` if that is not 0. A null key asks nothing.
// `about`: answers to several keys are about the same, such as a job list of each minute.
export function useAsk<T>(key: string | null, ask: (signal: AbortSignal) => Promise<T>, everyMs = 0, about = key): Asked<T> {
  const [state, setState] = useState<Known<T>>({ slow: false });
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
          setState({ about, data, slow: false });
        } catch (caught) {
          if (abort.signal.aborted) return;
          const error = toError(caught);
          setState((old) => ({ ...knownAbout(old, about), error, slow: false }));
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
  return { ...knownAbout(state, about), again: () => setRound((n) => n + 1) };
}

// One call of the API.
export function useCall<T>(method: string, request: object | null, everyMs = 0, about?: string): Asked<T> {
  const key = request === null ? null : `${method} ${JSON.stringify(request)}`;
  return useAsk<T>(key, (signal) => call<T>(method, request ?? {}, signal), everyMs, about ?? key);
}

// All pages of a list, until there are `most` items. `isWhole`: there are no more.
export async function callPages<Response extends { nextPageToken?: string }, Item>(
  method: string,
  request: object,
  items: (response: Response) => Item[] | undefined,
  signal: AbortSignal,
  most = MOST_ITEMS,
): Promise<{ items: Item[]; isWhole: boolean }> {
  const all: Item[] = [];
  let pageToken = '';
  do {
    const response = await call<Response>(method, { ...request, pageToken }, signal);
    all.push(...(items(response) ?? []));
    pageToken = response.nextPageToken ?? '';
  } while (pageToken !== '' && all.length < most);
  return { items: all, isWhole: pageToken === '' };
}

// Runs `run` while the page is shown. Its signal aborts when the page is hidden: a browser has six
// connections to a host for all its tabs, so hidden tabs must hold none. Returns what ends it.
export function whileShown(run: (signal: AbortSignal) => void, page: Pick<Document, 'hidden' | 'addEventListener' | 'removeEventListener'> = document): () => void {
  let running: AbortController | null = null;
  const follow = () => {
    if (page.hidden) {
      running?.abort();
      running = null;
    } else if (running === null) {
      running = new AbortController();
      run(running.signal);
    }
  };
  page.addEventListener('visibilitychange', follow);
  follow();
  return () => {
    page.removeEventListener('visibilitychange', follow);
    running?.abort();
  };
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
