// Quantities as people write them: us, KiB. The SI value is for the tooltip.

function significant(value: number): string {
  if (value >= 99.95) return value.toFixed(0);
  return value >= 9.995 ? value.toFixed(1) : value.toFixed(2);
}

// "12.3 us".
export function timeText(seconds: number | undefined): string {
  if (seconds === undefined || !Number.isFinite(seconds)) return '–';
  if (seconds === 0) return '0 s';
  const sign = seconds < 0 ? '−' : '';
  const size = Math.abs(seconds);
  for (const [unit, factor] of [['s', 1], ['ms', 1e-3], ['us', 1e-6]] as const) {
    if (size >= 0.9995 * factor) return `${sign}${significant(size / factor)} ${unit}`;
  }
  return `${sign}${significant(size / 1e-9)} ns`;
}

// Seconds that many calls add up to, "3.50 h"; below two minutes as timeText().
export function durationText(seconds: number): string {
  for (const [unit, size] of [['days', 86_400], ['h', 3600], ['min', 60]] as const) {
    if (Math.abs(seconds) >= 2 * size) return `${seconds < 0 ? '−' : ''}${significant(Math.abs(seconds) / size)} ${unit}`;
  }
  return timeText(seconds);
}

// "4 KiB"; whole numbers stay whole.
export function bytesText(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit + 1 < units.length) {
    value /= 1024;
    ++unit;
  }
  const text = Number.isInteger(value) ? String(value) : significant(value);
  return `${text} ${units[unit]}`;
}

// The narrow form for the head of a column: "4K".
export const bytesLabel = (bytes: number): string =>
  bytesText(bytes).replace(' B', '').replace(/ (.)iB/, '$1');

// "1.2 million".
export function countText(count: number): string {
  if (count >= 1e9) return `${significant(count / 1e9)} billion`;
  if (count >= 1e6) return `${significant(count / 1e6)} million`;
  return count.toLocaleString('en-US');
}

export const percentText = (ratio: number): string =>
  Number.isFinite(ratio) ? `${ratio >= 0.0995 ? Math.round(100 * ratio) : (100 * ratio).toFixed(1)} %` : '∞';

// For a narrow cell: "7%", and from ten times on "1.2k×".
export function ratioLabel(ratio: number): string {
  if (!Number.isFinite(ratio)) return '∞';
  if (ratio < 10) return percentText(ratio).replace(' ', '');
  return `${ratio < 1000 ? Math.round(ratio) : `${Number((ratio / 1000).toPrecision(2))}k`}×`;
}

// A parameter's value in its SI unit: "1.25 us", "3.40 ns/byte", "2.1 GB/s".
export function parameterText(value: number, unit: string): string {
  if (unit === 's') return timeText(value);
  if (unit === 's/byte') return value > 0 && value < 0.1e-9 ? `${significant(value / 1e-12)} ps/byte` : `${timeText(value)}/byte`;
  if (unit === 'byte/s') {
    for (const [name, factor] of [['GB/s', 1e9], ['MB/s', 1e6], ['kB/s', 1e3]] as const) {
      if (value >= factor) return `${significant(value / factor)} ${name}`;
    }
  }
  const text = value !== 0 && (Math.abs(value) >= 1e5 || Math.abs(value) < 1e-2)
    ? value.toExponential(2)
    : String(Number(value.toPrecision(4)));
  return unit === '' || unit === '1' ? text : `${text} ${unit}`;
}

// "5 min ago". Instants are ISO texts or milliseconds.
export function agoText(when: string | number | undefined, nowMs: number): string {
  if (when === undefined) return 'never';
  const seconds = (nowMs - new Date(when).getTime()) / 1000;
  if (seconds < 10) return 'just now';
  for (const [limit, size, unit] of [
    [90, 1, 's'], [5400, 60, 'min'], [129600, 3600, 'h'], [5184000, 86400, 'days'],
  ] as const) {
    if (seconds < limit) return `${Math.round(seconds / size)} ${unit} ago`;
  }
  return `${Math.round(seconds / 2592000)} months ago`;
}

// In the browser's zone.
export const whenText = (when: string | number | undefined): string =>
  when === undefined ? '–' : new Date(when).toLocaleString();

// "64k" -> 65536; NaN if it is no size.
export function parseBytes(text: string): number {
  const match = /^\s*(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?\s*$/i.exec(text);
  if (match === null) return NaN;
  const power = ['', 'k', 'm', 'g', 't'].indexOf((match[2] ?? '').toLowerCase());
  return Number(match[1]) * 1024 ** power;
}

// 1, 2, 4, ... as far as `last`.
export function powersOfTwo(first: number, last: number): number[] {
  const sizes: number[] = [];
  for (let size = first; size <= last; size *= 2) sizes.push(size);
  return sizes;
}
