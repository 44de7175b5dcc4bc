/** Medians and tables of all measurements. Ratios carry over to other machines, seconds do not. */

export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

export type Row = Record<string, string | number>;

const show = (value: string | number | undefined): string =>
  typeof value === 'number'
    ? value.toLocaleString('en-US', { maximumFractionDigits: value < 10 ? 2 : value < 100 ? 1 : 0 })
    : (value ?? '');

/** Prints a Markdown table, numbers right-aligned. */
export function printTable(title: string, rows: Row[]): void {
  const heads = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cells = [heads, ...rows.map((row) => heads.map((head) => show(row[head])))];
  const widths = heads.map((_, column) => Math.max(3, ...cells.map((line) => line[column]!.length)));
  const isNumber = heads.map((head) => rows.some((row) => typeof row[head] === 'number'));
  const line = (values: string[]) =>
    `| ${values.map((value, column) => (isNumber[column] ? value.padStart(widths[column]!) : value.padEnd(widths[column]!))).join(' | ')} |`;
  console.log(`\n### ${title}\n`);
  console.log(line(cells[0]!));
  console.log(
    `|${widths.map((width, column) => (isNumber[column] ? `${'-'.repeat(width + 1)}:` : '-'.repeat(width + 2))).join('|')}|`,
  );
  for (const values of cells.slice(1)) console.log(line(values));
}
