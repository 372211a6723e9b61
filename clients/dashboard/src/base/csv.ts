// CSV (RFC 4180) in and out.

const quote = (cell: unknown): string => {
  const text = cell === undefined || cell === null ? '' : String(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

export const toCsv = (rows: unknown[][]): string =>
  rows.map((row) => row.map(quote).join(',') + '\r\n').join('');

interface Row {
  line: number; // of the file, where the row begins
  cells: string[];
}

// Rows of cells, without blank lines. Throws at an unclosed quote.
export function parseRows(text: string): Row[] {
  const rows: Row[] = [];
  let row: string[] = [];
  let cell = '';
  let quoted = false;
  let [line, begin] = [1, 1];
  const endRow = () => {
    row.push(cell);
    if (row.length > 1 || row[0] !== '') rows.push({ line: begin, cells: row });
    row = [];
    cell = '';
    begin = line;
  };
  for (let i = 0; i < text.length; ++i) {
    const c = text[i];
    if (c === '\n') ++line;
    if (quoted) {
      if (c !== '"') cell += c;
      else if (text[i + 1] === '"') cell += text[++i];
      else quoted = false;
    } else if (c === '"' && cell === '') quoted = true;
    else if (c === ',') {
      row.push(cell);
      cell = '';
    } else if (c === '\n') endRow();
    else if (c !== '\r') cell += c;
  }
  if (quoted) throw new Error('the file ends within a quoted cell');
  if (cell !== '' || row.length > 0) endRow();
  return rows;
}

export const parseCsv = (text: string): string[][] => parseRows(text).map((row) => row.cells);

export interface Message {
  source: number;
  destination: number;
  bytes: number;
}

// Rows of src,dst,bytes, with or without a header. Throws with the line and the rule.
export function parsePattern(text: string): Message[] {
  const rows = parseRows(text.replace(/^\uFEFF/, ''));
  const head = rows[0]?.cells.map((cell) => cell.trim().toLowerCase());
  const hasHead = head !== undefined && head.some((cell) => /[a-z]/.test(cell) && Number.isNaN(Number(cell)));
  const column = (names: string[], fallback: number): number => {
    if (!hasHead || head === undefined) return fallback;
    const found = head.findIndex((cell) => names.includes(cell));
    if (found < 0) throw new Error(`line ${rows[0]?.line}: no column ${names[0]}; the columns are src,dst,bytes`);
    return found;
  };
  const columns = [column(['src', 'source'], 0), column(['dst', 'destination'], 1), column(['bytes', 'block_bytes'], 2)];
  const messages = rows.slice(hasHead ? 1 : 0).map(({ line, cells: row }) => {
    const [source, destination, bytes] = columns.map((at) => {
      const value = Number(row[at]?.trim() || NaN);
      if (!Number.isSafeInteger(value) || value < 0) {
        throw new Error(`line ${line}: "${row[at] ?? ''}" is no whole number >= 0`);
      }
      return value;
    }) as [number, number, number];
    return { source, destination, bytes };
  });
  if (messages.length === 0) throw new Error('the file has no message: its rows are src,dst,bytes');
  return messages;
}
