// Which curve is the lowest where, and where that changes.

export interface Best {
  from: number; // the first x at which it is the lowest
  index: number; // of the curve
}

// `curves[i][k]` is the height of curve i at xs[k]; negative or undefined: the curve is not there.
export function bestRanges(xs: number[], curves: (number | undefined)[][]): Best[] {
  const ranges: Best[] = [];
  xs.forEach((x, k) => {
    let best = -1;
    curves.forEach((curve, i) => {
      const y = curve[k];
      if (y === undefined || y < 0) return;
      const least = best < 0 ? Infinity : (curves[best]?.[k] as number);
      if (y < least) best = i;
    });
    if (best < 0) return;
    const last = ranges[ranges.length - 1];
    if (last === undefined) ranges.push({ from: x, index: best });
    else if (last.index !== best) {
      const before = xs[k - 1] as number;
      ranges.push({ from: crossing(before, x, curves, last.index, best, k), index: best });
    }
  });
  return ranges;
}

// Where two curves meet between two neighbours on the x axis; straight in a log-log plot.
function crossing(x0: number, x1: number, curves: (number | undefined)[][], a: number, b: number, k: number): number {
  const [a0, a1] = [curves[a]?.[k - 1], curves[a]?.[k]];
  const [b0, b1] = [curves[b]?.[k - 1], curves[b]?.[k]];
  if (!(a0 && a1 && b0 && b1 && a0 > 0 && a1 > 0 && b0 > 0 && b1 > 0 && x0 > 0)) return x1;
  const d0 = Math.log(a0 / b0);
  const d1 = Math.log(a1 / b1);
  if (d0 >= 0 || d1 <= 0) return x1;
  const share = d0 / (d0 - d1);
  return Math.round(x0 * (x1 / x0) ** share);
}
