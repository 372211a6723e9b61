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

export const useObserved = (machine: string, everyMs = 0): Asked<ObservedTimes[]> =>
  useAsk(machine === '' ? null : `observed ${machine}`, (signal) =>
    callPages<{ times?: ObservedTimes[]; nextPageToken?: string }, ObservedTimes>(
      'HistoryService/ListObservedTimes', { machine, pageSize: 10000 }, (page) => page.times, signal), everyMs);

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
