// A table whose cells are coloured. Arrow keys go from cell to cell, Enter chooses one.
import { useRef, useState } from 'preact/hooks';
import { seriesColor } from '../base/palette';

export interface Cell {
  text: string; // short: it stands in the cell
  title: string; // all of it, for the tooltip and the screen reader
  color: number | null; // of the palette; null: grey
  strength: number; // 0..1
  ring?: boolean; // marked as different
}

interface Props {
  label: string;
  columns: { text: string; title: string }[];
  rows: { name: string; cells: (Cell | null)[] }[];
  chosen?: { row: number; column: number };
  onChoose?: (row: number, column: number) => void;
}

export function HeatMap(props: Props) {
  const table = useRef<HTMLTableElement>(null);
  const [focus, setFocus] = useState({ row: 0, column: 0 });
  const go = (row: number, column: number) => {
    const to = {
      row: Math.max(0, Math.min(props.rows.length - 1, row)),
      column: Math.max(0, Math.min(props.columns.length - 1, column)),
    };
    setFocus(to);
    const cell = table.current?.tBodies[0]?.rows[to.row]?.cells[to.column + 1];
    (cell as HTMLElement | undefined)?.focus();
  };
  const key = (event: KeyboardEvent, row: number, column: number) => {
    const moves: Record<string, [number, number]> = {
      ArrowUp: [row - 1, column],
      ArrowDown: [row + 1, column],
      ArrowLeft: [row, column - 1],
      ArrowRight: [row, column + 1],
      Home: [row, 0],
      End: [row, props.columns.length - 1],
    };
    const move = moves[event.key];
    if (move !== undefined) go(...move);
    else if (event.key === 'Enter' || event.key === ' ') props.onChoose?.(row, column);
    else return;
    event.preventDefault();
  };
  return (
    <div class="scroll">
      <table class="heatmap" role="grid" aria-label={props.label} ref={table}>
        <thead>
          <tr>
            <td class="corner" />
            {props.columns.map((column) => (
              <th scope="col" key={column.text} title={column.title}>
                {column.text}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {props.rows.map((row, r) => (
            <tr key={row.name}>
              <th scope="row">{row.name}</th>
              {row.cells.map((cell, c) => {
                const chosen = props.chosen?.row === r && props.chosen.column === c;
                const style = cell && cell.color !== null ? { '--hue': seriesColor(cell.color), '--mix': `${Math.round(16 + 60 * cell.strength)}%` } : undefined;
                return (
                  <td
                    key={c}
                    role="gridcell"
                    class={`${cell === null ? 'none' : cell.color === null ? 'grey' : 'hue'}${chosen ? ' chosen' : ''}${cell?.ring ? ' ring' : ''}`}
                    style={style}
                    title={cell?.title}
                    aria-label={cell === null ? 'no data' : `${cell.text} ${cell.title}`.trim()}
                    aria-selected={chosen}
                    tabIndex={focus.row === r && focus.column === c ? 0 : -1}
                    onKeyDown={(event) => key(event, r, c)}
                    onClick={() => {
                      setFocus({ row: r, column: c });
                      props.onChoose?.(r, c);
                    }}
                  >
                    {cell?.text}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
