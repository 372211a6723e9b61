import { describe, expect, it } from 'vitest';
import { bestRanges } from '../src/base/curves';
import { parseCsv, parsePattern, toCsv } from '../src/base/csv';
import { ticksOf, toSvg } from '../src/base/export';
import { knownAbout, Latest, whileShown } from '../src/base/hooks';
import { errorStrength, gainStrength, rankNames, seriesColor } from '../src/base/palette';
import { parseRoute, routeText } from '../src/base/route';

describe('csv', () => {
  it('is read back as it was written', () => {
    const rows = [['a', 'b,c', 'd "e"'], ['', 'two\nlines', '3']];
    expect(parseCsv(toCsv(rows))).toEqual(rows);
    expect(() => parseCsv('a,"b')).toThrow('quoted');
  });
  it('a pattern has three columns in any order, with a header or without', () => {
    expect(parsePattern('src,dst,bytes\n0,1,64\r\n1,0,8\n')).toEqual([{ source: 0, destination: 1, bytes: 64 }, { source: 1, destination: 0, bytes: 8 }]);
    expect(parsePattern('bytes,dst,src\n64,1,0')).toEqual([{ source: 0, destination: 1, bytes: 64 }]);
    expect(parsePattern('0,1,64')).toHaveLength(1);
    expect(parsePattern('0,1,1e6\n1,0,8')).toEqual([{ source: 0, destination: 1, bytes: 1_000_000 }, { source: 1, destination: 0, bytes: 8 }]);
  });
  it('a wrong pattern says the line and the rule', () => {
    expect(() => parsePattern('src,dst,bytes\n0,1,8\n0,x,8')).toThrow('line 3: "x" is no whole number');
    expect(() => parsePattern('0,1')).toThrow('line 1');
    expect(() => parsePattern('from,to,size\n0,1,2')).toThrow('no column src');
    expect(() => parsePattern('src,dst,bytes\n')).toThrow('no message');
    expect(() => parsePattern('\n\nsrc,dst,bytes\n\n0,1,8\r\n\r\n0,x,8')).toThrow('line 7: "x"');
    expect(() => parsePattern('\nfrom,to,size')).toThrow('line 2: no column src');
    expect(() => parsePattern('0,1,"8"\n"0","1","\n"\n1,1,y')).toThrow('line 2');
  });
});

describe('bestRanges', () => {
  it('finds who is the lowest, and where that changes', () => {
    const xs = [1, 10, 100, 1000];
    const flat = xs.map(() => 10);
    const steep = xs.map((x) => x);
    expect(bestRanges(xs, [flat, steep])).toEqual([{ from: 1, index: 1 }, { from: 10, index: 0 }]);
    const ranges = bestRanges(xs, [xs.map(() => 31.6), steep]);
    expect(ranges[1]?.index).toBe(0);
    expect(ranges[1]?.from).toBeGreaterThan(30);
    expect(ranges[1]?.from).toBeLessThan(34);
  });
  it('leaves out curves that are not there', () => {
    expect(bestRanges([1, 2], [[-1, -1], [5, 5]])).toEqual([{ from: 1, index: 1 }]);
    expect(bestRanges([1], [[-1]])).toEqual([]);
  });
});

it('routes keep what they are given', () => {
  const text = routeText('decisions', { machine: 'a b', nodes: 3, with: '', library: undefined });
  expect(text).toBe('#/decisions?machine=a+b&nodes=3');
  const route = parseRoute(text);
  expect([route.page, route.params.get('machine')]).toEqual(['decisions', 'a b']);
  expect(parseRoute('').page).toBe('fleet');
});

describe('palette', () => {
  // Relative luminance and contrast as WCAG 2 defines them.
  const luminance = (hex: string) => {
    const [r, g, b] = [1, 3, 5].map((at) => {
      const c = parseInt(hex.slice(at, at + 2), 16) / 255;
      return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    }) as [number, number, number];
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a: string, b: string) => {
    const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
    return (high + 0.05) / (low + 0.05);
  };
  it('lines stand out from the paper', () => {
    for (let i = 0; i < 10; ++i) {
      expect(contrast(seriesColor(i, false), '#ffffff')).toBeGreaterThan(4.5);
      expect(contrast(seriesColor(i, true), '#18212b')).toBeGreaterThan(4.5);
    }
  });
  it('frequent names get the first colours', () => {
    expect([...rankNames(['ring', 'chain', 'ring', 'abc'])]).toEqual([['ring', 0], ['abc', 1], ['chain', 2]]);
  });
  it('strengths grow and are bounded', () => {
    expect([gainStrength(0.9), gainStrength(1), gainStrength(2), gainStrength(9)]).toEqual([0, 0, 1, 1]);
    expect(errorStrength(0)).toBe(0);
    expect(errorStrength(0.1)).toBeLessThan(errorStrength(0.5));
    expect([errorStrength(1), errorStrength(50), errorStrength(Infinity)]).toEqual([1, 1, 1]);
  });
});

it('Latest runs one at a time, and of those that wait only the newest', async () => {
  const ran: number[] = [];
  const gates: (() => void)[] = [];
  const latest = new Latest<number>(async (n) => {
    ran.push(n);
    await new Promise<void>((resolve) => gates.push(resolve));
  });
  const first = latest.push(1);
  void latest.push(2);
  void latest.push(3);
  gates[0]?.();
  await new Promise((resolve) => setTimeout(resolve));
  gates[1]?.();
  await first;
  expect(ran).toEqual([1, 3]);
});

it('a chart is an SVG of its own', () => {
  const svg = toSvg('a < b', [1, 10, 100], [
    { name: 'line', color: '#000000', dash: [], points: false, values: [1, 2, null] },
    { name: 'dots', color: '#ff0000', dash: [], points: true, values: [undefined, 5, 0] },
  ], String, String);
  expect(svg).toContain('a &lt; b');
  expect(svg.match(/<polyline/g)).toHaveLength(1);
  expect(svg.match(/<circle/g)).toHaveLength(1);
  expect(svg).not.toContain('NaN');
});

describe('a linear chart', () => {
  const pixels = (svg: string) => [.../<polyline[^>]*points="([^"]*)"/.exec(svg)?.[1]?.split(' ') ?? []].map((each) => each.split(',').map(Number) as [number, number]);
  const line = { name: 'alpha', color: '#000000', dash: [], points: false, values: [2, 4, 6], band: { low: [1, 3, 5], high: [3, 5, 10] } };
  it('has equal steps, its zero, numbers and error bars as a file, too', () => {
    const svg = toSvg('alpha', [1, 2, 3], [line], String, (y) => `${y} us`, false);
    const [a, b, c] = pixels(svg) as [[number, number], [number, number], [number, number]];
    expect(c[0] - b[0]).toBeCloseTo(b[0] - a[0], 0);
    expect(c[1] - b[1]).toBeCloseTo(b[1] - a[1], 0);
    // 540 - 56 = 484 is the bottom, 44 the top: 0 and 1.08 times 10.
    expect(a[1]).toBeCloseTo(484 - (2 / 10.8) * 440, 0);
    expect([...svg.matchAll(/>([^<]*) us</g)].map((match) => match[1])).toEqual(['0', '5', '10']);
    expect(/<polygon[^>]*points="([^"]*)"/.exec(svg)?.[1]?.split(' ')).toHaveLength(6);
  });
  it('of one revision has a bar', () => {
    const svg = toSvg('alpha', [1], [{ ...line, points: true, values: [2], band: { low: [1], high: [3] } }], String, String, false);
    expect(svg).toMatch(/stroke="#000000"\/>\n<circle/);
    expect(svg).not.toMatch(/NaN|Infinity/);
  });
  it('has round numbers', () => {
    expect(ticksOf(0, 10.8, 5)).toEqual([0, 5, 10]);
    expect(ticksOf(-3e-6, 3e-6, 5)).toEqual([-2e-6, 0, 2e-6]);
  });
});

it('an answer about one machine is none about another', () => {
  const known = { about: 'a', data: 1, slow: true };
  expect(knownAbout(known, 'a')).toBe(known);
  expect(knownAbout(known, 'b')).toEqual({ about: 'b', slow: true });
  expect(knownAbout({ about: 'a', error: undefined, slow: false }, null).data).toBeUndefined();
});

it('a hidden page lets go what it holds, and takes it again', () => {
  const page = Object.assign(new EventTarget(), { hidden: true });
  const signals: AbortSignal[] = [];
  const show = (isShown: boolean) => {
    page.hidden = !isShown;
    page.dispatchEvent(new Event('visibilitychange'));
  };
  const end = whileShown((signal) => signals.push(signal), page as unknown as Document);
  expect(signals).toHaveLength(0);
  show(true);
  show(true);
  expect(signals.map((signal) => signal.aborted)).toEqual([false]);
  show(false);
  expect(signals.map((signal) => signal.aborted)).toEqual([true]);
  show(true);
  end();
  show(true);
  expect(signals.map((signal) => signal.aborted)).toEqual([true, true]);
});
