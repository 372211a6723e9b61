// Colours that people with any colour vision tell apart (Paul Tol's "bright" and "muted" sets,
// darkened for text of 4.5:1). Colour never stands alone: cells and lines also have names.

const LIGHT = ['#33609a', '#b3492d', '#1f7a4d', '#8a4b8f', '#7d6608', '#0e7490', '#a33763', '#4d5d1c', '#5b4fae', '#8d5524'];
const DARK = ['#7fb2f0', '#f49a7c', '#6fd39b', '#d9a1e0', '#e0c64a', '#5fd0e6', '#f490b4', '#b9cc72', '#b3a8ff', '#dcae7c'];

export const isDark = (): boolean => document.documentElement.dataset.theme === 'dark';

// The colour of series number `index`.
export const seriesColor = (index: number, dark = isDark()): string => {
  const colors = dark ? DARK : LIGHT;
  return colors[index % colors.length] as string;
};

const DASHES: number[][] = [[], [7, 4], [2, 3], [9, 3, 2, 3]];
// Lines that share a colour differ in their dashes.
export const seriesDash = (index: number): number[] =>
  DASHES[Math.floor(index / LIGHT.length) % DASHES.length] as number[];

// Numbers for names: the most frequent names get the first colours.
export function rankNames(names: string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  const sorted = [...counts].sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0]));
  return new Map(sorted.map(([name], index) => [name, index]));
}

// Of an error ratio, 0 (good) to 1 and more (bad): one hue, lighter to stronger, as a share 0..1.
export function errorStrength(error: number): number {
  if (!Number.isFinite(error)) return 1;
  return Math.min(1, Math.log1p(4 * Math.max(0, error)) / Math.log(5));
}

// Of a gain (1: none): a share 0..1 that a factor of two makes strong.
export function gainStrength(gain: number): number {
  if (!(gain > 1)) return 0;
  return Math.min(1, Math.log2(gain));
}
