// What was observed on a machine, and what is asked about it: shared by pages.
import { num, type ObservedTimes } from '../api/types';
import { type Asked, callPages, useAsk } from '../base/hooks';

// coxd tunes these; a library that was observed on the machine is listed, too.
const LIBRARIES = ['openmpi-4.1', 'openmpi-5.0', 'mpich-4.0', 'mvapich-3.0', 'intelmpi-2019', 'cray-mpich-8.1', 'ucc-1', 'nccl-2', 'coxcoll'];

export const FORMATS: Record<string, string[]> = {
  'openmpi-4.1': ['rules', 'env'],
  'openmpi-5.0': ['rules', 'env'],
  'mpich-4.0': ['json', 'env'],
  'mvapich-3.0': ['env'],
  'intelmpi-2019': ['env'],
  'cray-mpich-8.1': ['env'],
  'ucc-1': ['env'],
  'nccl-2': ['csv'],
};

export const SIZES = Array.from({ length: 25 }, (_, i) => 2 ** i); // 1 B to 16 MiB

export interface Observed {
  items: ObservedTimes[];
  isWhole: boolean; // false: the machine has more scenarios
}

const observedTimes = (filter: object, signal: AbortSignal) =>
  callPages<{ times?: ObservedTimes[]; nextPageToken?: string }, ObservedTimes>(
    'HistoryService/ListObservedTimes', { ...filter, pageSize: 10_000 }, (page) => page.times, signal);

export const useObserved = (machine: string): Asked<Observed> =>
  useAsk(machine === '' ? null : `observed ${machine}`, (signal) => observedTimes({ machine }, signal));

// One filter of ListObservedTimes for each library and collective of some calls, with the nodes and
// ranks per node where all its calls have the same.
export function filtersOf(calls: ObservedTimes[]) {
  const filters = new Map<string, { library: string; collective: string; nodes: number; ppn: number }>();
  for (const { library, collective, ...row } of calls) {
    const key = `${library} ${collective}`;
    const [nodes, ppn] = [num(row.nodes), num(row.ppn)];
    const known = filters.get(key) ?? { library, collective, nodes, ppn };
    filters.set(key, { ...known, nodes: known.nodes === nodes ? nodes : 0, ppn: known.ppn === ppn ? ppn : 0 });
  }
  return [...filters.values()];
}

// What was observed of the scenarios of some calls: a machine may have more than a page can hold.
export function useObservedOf(machine: string, calls: ObservedTimes[], everyMs: number): Asked<Observed> {
  const filters = filtersOf(calls);
  return useAsk(machine === '' || filters.length === 0 ? null : `observed ${machine} ${JSON.stringify(filters)}`, async (signal) => {
    const parts: Observed[] = [];
    for (const filter of filters) parts.push(await observedTimes({ machine, ...filter }, signal));
    return { items: parts.flatMap((part) => part.items), isWhole: parts.every((part) => part.isWhole) };
  }, everyMs);
}

export interface Shape {
  library: string;
  nodes: number;
  ppn: number;
}

export const libraries = (observed: ObservedTimes[]): string[] =>
  [...new Set([...observed.map((row) => row.library), ...LIBRARIES])];

// The libraries and shapes that were observed, those with the most scenarios first.
export function observedShapes(observed: ObservedTimes[]): Shape[] {
  const counts = new Map<string, { shape: Shape; count: number }>();
  for (const row of observed) {
    const shape = { library: row.library, nodes: num(row.nodes), ppn: num(row.ppn) };
    const key = JSON.stringify(shape);
    const entry = counts.get(key) ?? { shape, count: 0 };
    ++entry.count;
    counts.set(key, entry);
  }
  return [...counts.values()].sort((a, b) => b.count - a.count).map((entry) => entry.shape);
}

// What the address says, completed by what was observed most, completed by the machine's size.
export function chooseShape(params: URLSearchParams, observed: ObservedTimes[], nodes: number, cores: number): Shape {
  const wanted = params.get('library');
  const usual = observedShapes(observed).find((shape) => wanted === null || shape.library === wanted);
  const whole = (name: string) => {
    const value = Number(params.get(name) ?? NaN);
    return Number.isInteger(value) && value >= 1 ? value : undefined;
  };
  return {
    library: wanted ?? usual?.library ?? 'openmpi-4.1',
    nodes: whole('nodes') ?? usual?.nodes ?? Math.max(1, nodes),
    ppn: whole('ppn') ?? usual?.ppn ?? Math.max(1, cores),
  };
}
