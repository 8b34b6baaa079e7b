/** A column of a table in a terminal. Numbers are aligned to the right. */
export interface Column {
  readonly head: string;
  readonly isNumber?: true;
}

/** Rows as lines below a line of column heads, indented. */
export function columnLines(
  columns: readonly Column[],
  rows: readonly (readonly (string | number)[])[],
): readonly string[] {
  const cells = [columns.map(({ head }) => head), ...rows.map((row) => row.map(String))];
  const widths = columns.map((_, at) => Math.max(...cells.map((row) => row[at]?.length ?? 0)));
  return cells.map((row) => {
    const padded = row.map((text, at) => {
      const width = widths[at] ?? 0;
      return columns[at]?.isNumber === true ? text.padStart(width) : text.padEnd(width);
    });
    return `  ${padded.join('  ')}`.trimEnd();
  });
}
