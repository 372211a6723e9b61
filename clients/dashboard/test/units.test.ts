import { describe, expect, it } from 'vitest';
import { agoText, bytesLabel, bytesText, parameterText, parseBytes, percentText, powersOfTwo, ratioLabel, timeText } from '../src/base/units';

describe('timeText', () => {
  it('chooses the unit and three digits', () => {
    expect([1.5e-9, 2.345e-6, 12.34e-6, 0.0009996, 0.0512, 3, 125].map(timeText)).toEqual(
      ['1.50 ns', '2.35 us', '12.3 us', '1.00 ms', '51.2 ms', '3.00 s', '125 s']);
  });
  it('says what it does not know', () => {
    expect(timeText(undefined)).toBe('–');
    expect(timeText(Infinity)).toBe('–');
    expect(timeText(0)).toBe('0 s');
    expect(timeText(-2e-3)).toBe('−2.00 ms');
  });
});

describe('bytes', () => {
  it('count in powers of 1024', () => {
    expect([0, 1, 1023, 1024, 1536, 1 << 20, 2 ** 34].map(bytesText)).toEqual(
      ['0 B', '1 B', '1023 B', '1 KiB', '1.50 KiB', '1 MiB', '16 GiB']);
    expect([1, 512, 2048, 1 << 24].map(bytesLabel)).toEqual(['1', '512', '2K', '16M']);
  });
  it('are read as people write them', () => {
    expect(['64', '64k', '1.5 MiB', '2GB', ' 8 B '].map(parseBytes)).toEqual([64, 65536, 1572864, 2147483648, 8]);
    expect(parseBytes('many')).toBeNaN();
    expect(parseBytes('-1')).toBeNaN();
  });
});

it('writes ratios, parameters and ages', () => {
  expect([0, 0.0312, 0.5, 12].map(percentText)).toEqual(['0.0 %', '3.1 %', '50 %', '1200 %']);
  expect(percentText(Infinity)).toBe('∞');
  expect([0.0312, 0.5, 9.9, 10, 846.73, 1204.62, Infinity].map(ratioLabel)).toEqual(['3.1%', '50%', '990%', '10×', '847×', '1.2k×', '∞']);
  expect(parameterText(1.25e-6, 's')).toBe('1.25 us');
  expect(parameterText(8e-11, 's/byte')).toBe('80.0 ps/byte');
  expect(parameterText(8e-10, 's/byte')).toBe('0.80 ns/byte');
  expect(parameterText(2.1e9, 'byte/s')).toBe('2.10 GB/s');
  expect(parameterText(64, '')).toBe('64');
  const now = Date.UTC(2026, 0, 1);
  expect([1, 60, 600, 7200, 86400 * 3].map((s) => agoText(now - 1000 * s, now))).toEqual(
    ['just now', '60 s ago', '10 min ago', '2 h ago', '3 days ago']);
  expect(agoText(undefined, now)).toBe('never');
  expect(powersOfTwo(1, 9)).toEqual([1, 2, 4, 8]);
});
