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
}

const escape = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

// A log-log chart as a file of its own, with white paper and a legend.
export function toSvg(
  title: string,
  xs: number[],
  lines: SvgLine[],
  xText: (x: number) => string,
  yText: (y: number) => string,
): string {
  const [width, height, left, top, bottom] = [900, 540, 80, 44, 56];
  const right = 250;
  const shown = lines.map((line) => ({
    ...line,
    at: xs.flatMap((x, i) => {
      const y = line.values[i];
      return x > 0 && y !== null && y !== undefined && y > 0 ? [[x, y] as const] : [];
    }),
  }));
  const all = shown.flatMap((line) => line.at);
  const span = (values: number[]) => [Math.log(Math.min(...values)), Math.log(Math.max(...values))] as const;
  const [x0, x1] = span(all.map(([x]) => x));
  const [y0, y1] = span(all.map(([, y]) => y));
  const px = (x: number) => left + ((Math.log(x) - x0) / (x1 - x0 || 1)) * (width - left - right);
  const py = (y: number) => height - bottom - ((Math.log(y) - y0) / (y1 - y0 || 1)) * (height - top - bottom);
  const out: string[] = [];
  const everyNth = Math.max(1, Math.ceil(xs.length / 8));
  xs.filter((x, i) => x > 0 && i % everyNth === 0).forEach((x) => {
    out.push(`<line x1="${px(x)}" x2="${px(x)}" y1="${top}" y2="${height - bottom}" stroke="#e3e6ea"/>`);
    out.push(`<text x="${px(x)}" y="${height - bottom + 20}" text-anchor="middle">${escape(xText(x))}</text>`);
  });
  for (let decade = Math.ceil(y0 / Math.LN10); decade <= y1 / Math.LN10; ++decade) {
    const y = 10 ** decade;
    out.push(`<line x1="${left}" x2="${width - right}" y1="${py(y)}" y2="${py(y)}" stroke="#e3e6ea"/>`);
    out.push(`<text x="${left - 8}" y="${py(y) + 4}" text-anchor="end">${escape(yText(y))}</text>`);
  }
  shown.forEach((line, i) => {
    const points = line.at.map(([x, y]) => `${px(x).toFixed(1)},${py(y).toFixed(1)}`);
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
