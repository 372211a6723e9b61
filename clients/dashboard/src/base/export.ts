// Files that a person takes along: CSV, SVG, PNG.

export function download(name: string, type: string, content: BlobPart): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

export function downloadPng(name: string, canvas: HTMLCanvasElement): void {
  canvas.toBlob((blob) => {
    if (blob !== null) download(name, 'image/png', blob);
  });
}

export interface SvgLine {
  name: string;
  color: string;
  dash: number[];
  points: boolean;
  values: (number | null | undefined)[];
  band?: { low: (number | null)[]; high: (number | null)[] };
}

const escape = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

// Round numbers within [low, high], about `count` of them.
export function ticksOf(low: number, high: number, count: number): number[] {
  const rough = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((digit) => digit * power).find((each) => each >= rough * 0.999) as number;
  const first = Math.ceil(low / step - 1e-9);
  return Array.from({ length: Math.floor(high / step + 1e-9) - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

const decadesOf = (low: number, high: number): number[] => {
  const first = Math.ceil(Math.log10(low));
  return Array.from({ length: Math.floor(Math.log10(high)) - first + 1 }, (_, i) => 10 ** (first + i));
};

type Point = readonly [number, number];

// A chart as a file of its own, with white paper and a legend. `log`: of both axes; a linear y axis
// has its zero.
export function toSvg(
  title: string,
  xs: number[],
  lines: SvgLine[],
  xText: (x: number) => string,
  yText: (y: number) => string,
  log = true,
): string {
  const [width, height, left, top, bottom] = [900, 540, 80, 44, 56];
  const right = 250;
  const isShown = (value: number | null | undefined): value is number =>
    value !== null && value !== undefined && Number.isFinite(value) && (!log || value > 0);
  const pointsOf = (values: (number | null | undefined)[]) =>
    xs.flatMap((x, i): Point[] => {
      const y = values[i];
      return isShown(x) && isShown(y) ? [[x, y]] : [];
    });
  const shown = lines.map((line) => ({
    ...line,
    at: pointsOf(line.values),
    edges: [pointsOf(line.band?.low ?? []), pointsOf(line.band?.high ?? [])] as const,
  }));
  const all = shown.flatMap((line) => [line.at, ...line.edges].flat());
  const scale = log ? Math.log : (value: number) => value;
  const ends = (values: number[]) => (values.length === 0 ? [1, 1] : [Math.min(...values), Math.max(...values)]) as [number, number];
  const [x0, x1] = ends(all.map(([x]) => x));
  const [least, most] = ends(all.map(([, y]) => y));
  const [y0, y1] = log ? [least, most] : [Math.min(0, least), most > 0 ? most * 1.08 : 1];
  const share = (value: number, low: number, high: number) =>
    high > low ? (scale(value) - scale(low)) / (scale(high) - scale(low)) : 0.5;
  const px = (x: number) => left + share(x, x0, x1) * (width - left - right);
  const py = (y: number) => height - bottom - share(y, y0, y1) * (height - top - bottom);
  const texts = (points: readonly Point[]) => points.map(([x, y]) => `${px(x).toFixed(1)},${py(y).toFixed(1)}`);
  const out: string[] = [];
  const everyNth = Math.max(1, Math.ceil(xs.length / 8));
  xs.filter((x, i) => isShown(x) && i % everyNth === 0).forEach((x) => {
    out.push(`<line x1="${px(x)}" x2="${px(x)}" y1="${top}" y2="${height - bottom}" stroke="#e3e6ea"/>`);
    out.push(`<text x="${px(x)}" y="${height - bottom + 20}" text-anchor="middle">${escape(xText(x))}</text>`);
  });
  const decades = log ? decadesOf(y0, y1) : [];
  // Within one decade there may be none.
  for (const y of decades.length > 1 ? decades : y1 > y0 ? ticksOf(y0, y1, 5) : [y0]) {
    out.push(`<line x1="${left}" x2="${width - right}" y1="${py(y)}" y2="${py(y)}" stroke="#e3e6ea"/>`);
    out.push(`<text x="${left - 8}" y="${py(y) + 4}" text-anchor="end">${escape(yText(y))}</text>`);
  }
  shown.forEach((line, i) => {
    const points = texts(line.at);
    const [low, high] = line.edges;
    if (high.length > 1) {
      out.push(`<polygon fill="${line.color}" fill-opacity="0.18" points="${[...texts(low), ...texts(high).reverse()].join(' ')}"/>`);
    } else if (high.length === 1) {
      const [[x, bar] = [0, 0]] = high;
      out.push(`<line x1="${px(x)}" x2="${px(x)}" y1="${py(low[0]?.[1] ?? bar)}" y2="${py(bar)}" stroke="${line.color}"/>`);
    }
    if (line.points) {
      out.push(...points.map((p) => `<circle cx="${p.split(',')[0]}" cy="${p.split(',')[1]}" r="3.2" fill="${line.color}"/>`));
    } else {
      out.push(`<polyline fill="none" stroke="${line.color}" stroke-width="2" stroke-dasharray="${line.dash.join(' ')}" points="${points.join(' ')}"/>`);
    }
    const y = top + 10 + i * 20;
    out.push(`<line x1="${width - right + 16}" x2="${width - right + 44}" y1="${y}" y2="${y}" stroke="${line.color}" stroke-width="3" stroke-dasharray="${line.dash.join(' ')}"/>`);
    out.push(`<text x="${width - right + 52}" y="${y + 4}">${escape(line.name)}</text>`);
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="12" fill="#1b2530">
<rect width="100%" height="100%" fill="#fff"/>
<text x="${left}" y="26" font-size="16" font-weight="600">${escape(title)}</text>
${out.join('\n')}
</svg>
`;
}
