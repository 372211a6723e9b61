// A chart of lines and points. uPlot draws on a canvas; the numbers are also a table for those who
// cannot see it, and files for those who take them along.
import { useEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { toCsv } from '../base/csv';
import { download, downloadPng, toSvg } from '../base/export';
import { isDark, seriesColor, seriesDash } from '../base/palette';

export interface Line {
  name: string;
  values: (number | null | undefined)[];
  color?: number; // of the palette; the line's number if absent
  points?: boolean; // separate points instead of a line
  strong?: boolean;
  band?: { low: (number | null)[]; high: (number | null)[] };
}

export interface Mark {
  x: number;
  text: string;
}

interface Props {
  title: string;
  xs: number[];
  xName: string;
  yName: string;
  lines: Line[];
  xText: (x: number) => string;
  yText: (y: number) => string;
  log?: boolean; // both axes; else linear
  time?: boolean; // xs are seconds since 1970
  whole?: boolean; // xs are whole numbers, such as revisions
  marks?: Mark[];
  height?: number;
  file?: string; // the name of exported files, without the ending; none: no export
}

const WHOLE_STEPS = [1, 2, 5].flatMap((digit) => [1, 10, 100, 1000].map((power) => digit * power)).sort((a, b) => a - b);

const css = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

const withAlpha = (color: string, alpha: string) => color + alpha;

// Room for the widest of an axis's texts.
const widthOf: uPlot.Axis.Size = (_, texts) =>
  24 + 7 * Math.max(4, ...(texts ?? []).map((text) => text?.length ?? 0));

function optionsOf(props: Props, width: number): { options: uPlot.Options; data: uPlot.AlignedData } {
  const series: uPlot.Series[] = [{ label: props.xName }];
  const bands: uPlot.Band[] = [];
  const data: (number | null | undefined)[][] = [props.xs];
  props.lines.forEach((line, index) => {
    const number = line.color ?? index;
    const color = seriesColor(number);
    if (line.band) {
      bands.push({ series: [data.length + 1, data.length], fill: withAlpha(color, '2e') });
      for (const edge of [line.band.low, line.band.high]) {
        series.push({ stroke: withAlpha(color, '50'), width: 1, points: { show: false } });
        data.push(edge);
      }
    }
    series.push({
      label: line.name,
      stroke: color,
      width: line.strong ? 3 : 1.75,
      dash: seriesDash(number),
      paths: line.points ? () => null : undefined,
      points: line.points ? { show: true, size: 7, fill: css('--card'), stroke: color, width: 2 } : { show: false },
      spanGaps: true,
    });
    data.push(line.values);
  });
  const hasPoints = props.lines.some((line) => line.points);
  // Points on the border would be cut in half.
  const pad: uPlot.Range.Function = (_, low, high) => (high > low ? [low - (high - low) * 0.03, high + (high - low) * 0.03] : [low - 1, high + 1]);
  const named = { labelSize: 22, labelGap: 0, labelFont: '12px system-ui, sans-serif' };
  const axis = { stroke: css('--muted'), grid: { stroke: css('--line'), width: 1 }, ticks: { stroke: css('--line'), width: 1 }, font: '12px system-ui, sans-serif' };
  const options: uPlot.Options = {
    width,
    height: props.height ?? 320,
    legend: { show: false },
    cursor: { points: { size: 6 }, drag: { x: false, y: false } },
    scales: {
      x: { time: props.time ?? false, distr: props.log ? 3 : 1, log: 2, range: !props.log && !props.time && (hasPoints || props.xs.length < 2) ? pad : undefined },
      y: { distr: props.log ? 3 : 1, log: 10, range: props.log ? undefined : (_, low, high) => [Math.min(0, low), high > 0 ? high * 1.08 : 1] },
    },
    axes: [
      { ...axis, ...named, label: props.xName, incrs: props.whole ? WHOLE_STEPS : undefined, size: props.time ? 50 : 34, values: props.time ? undefined : (_, ticks) => ticks.map((tick) => (tick === null ? '' : props.xText(tick))), space: 56 },
      { ...axis, ...named, label: props.yName, values: (_, ticks) => ticks.map((tick) => (tick === null || tick === undefined ? '' : props.yText(tick))), size: widthOf },
    ],
    series,
    bands,
    hooks: {
      drawClear: [
        (plot) => {
          const context = plot.ctx;
          context.save();
          context.strokeStyle = css('--muted');
          context.setLineDash([4, 4]);
          for (const mark of props.marks ?? []) {
            const x = Math.round(plot.valToPos(mark.x, 'x', true));
            context.beginPath();
            context.moveTo(x, plot.bbox.top);
            context.lineTo(x, plot.bbox.top + plot.bbox.height);
            context.stroke();
          }
          context.restore();
        },
      ],
    },
  };
  return { options, data: data as uPlot.AlignedData };
}

export function Chart(props: Props) {
  const host = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const [at, setAt] = useState<number | null>(null);
  const [theme, setTheme] = useState(isDark());

  useEffect(() => {
    const observer = new MutationObserver(() => setTheme(isDark()));
    observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    return () => observer.disconnect();
  }, []);

  // New data of the same lines are only drawn again; other lines need another chart.
  const shape = JSON.stringify([theme, props.log, props.time, props.height, props.xName, props.yName, props.lines.map((line) => [line.name, line.color, line.points, line.strong, !!line.band]), props.marks]);
  const latest = useRef(props);
  latest.current = props;
  useEffect(() => {
    const element = host.current;
    if (element === null) return undefined;
    const { options, data } = optionsOf(latest.current, element.clientWidth || 600);
    options.hooks = { ...options.hooks, setCursor: [(self) => setAt(self.cursor.idx ?? null)] };
    const made = new uPlot(options, data, element);
    plot.current = made;
    const resized = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height: options.height }));
    resized.observe(element);
    return () => {
      resized.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [shape]);
  useEffect(() => {
    plot.current?.setData(optionsOf(latest.current, 100).data);
  }, [props.xs, props.lines]);

  const rows = () => [[props.xName, ...props.lines.map((line) => line.name)], ...props.xs.map((x, i) => [x, ...props.lines.map((line) => line.values[i])])];
  const exportSvg = () => {
    const lines = props.lines.map((line, index) => ({ name: line.name, values: line.values, points: line.points ?? false, band: line.band, color: seriesColor(line.color ?? index, false), dash: seriesDash(line.color ?? index) }));
    download(`${props.file}.svg`, 'image/svg+xml', toSvg(props.title, props.xs, lines, props.xText, props.yText, props.log ?? false));
  };
  const x = at === null ? undefined : props.xs[at];
  return (
    <figure class="chart">
      <div class="canvas" ref={host} role="img" aria-label={`${props.title}: ${props.lines.length} lines over ${props.xName}; the numbers are in the table below`} />
      <figcaption>
        <ul class="legend">
          {props.lines.map((line, index) => (
            <li key={line.name}>
              <svg width="26" height="10" aria-hidden="true">
                {line.points ? (
                  <circle cx="13" cy="5" r="3.5" fill="none" stroke={seriesColor(line.color ?? index)} stroke-width="2" />
                ) : (
                  <line x1="1" x2="25" y1="5" y2="5" stroke={seriesColor(line.color ?? index)} stroke-width={line.strong ? 4 : 2.5} stroke-dasharray={seriesDash(line.color ?? index).join(' ')} />
                )}
              </svg>
              <span>{line.name}</span>
              {at !== null && x !== undefined && <b>{line.values[at] == null ? '–' : props.yText(line.values[at] as number)}</b>}
            </li>
          ))}
        </ul>
        <span class="readout">{x === undefined ? '' : `at ${props.xText(x)}`}</span>
      </figcaption>
      <div class="under">
        <details>
          <summary>Numbers</summary>
          <div class="scroll" tabIndex={0} role="region" aria-label={`Numbers of ${props.title}`}>
            <table>
              <thead>
                <tr>
                  <th scope="col">{props.xName}</th>
                  {props.lines.map((line) => (
                    <th scope="col" key={line.name}>
                      {line.name}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {props.xs.map((value, i) => (
                  <tr key={value}>
                    <th scope="row">{props.time ? new Date(value * 1000).toLocaleString() : props.xText(value)}</th>
                    {props.lines.map((line) => (
                      <td key={line.name}>{line.values[i] == null ? '' : props.yText(line.values[i] as number)}</td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </details>
        {props.file && (
          <div class="tools">
            <button type="button" class="quiet" onClick={exportSvg}>SVG</button>
            <button type="button" class="quiet" onClick={() => plot.current && downloadPng(`${props.file}.png`, plot.current.ctx.canvas)}>PNG</button>
            <button type="button" class="quiet" onClick={() => download(`${props.file}.csv`, 'text/csv', toCsv(rows()))}>CSV</button>
          </div>
        )}
      </div>
    </figure>
  );
}
