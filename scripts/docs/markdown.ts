/** Puts a text in backticks. */
export const code = (text: string) => `\`${text}\``;

const cell = (text: string) => text.replaceAll('|', String.raw`\|`).replaceAll(/\s*\n\s*/g, ' ');

/** Makes a table in Markdown. Replaces line breaks and pipes in cells. */
export function table(heads: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(heads), `|${heads.map(() => ' - |').join('')}`, ...rows.map(line)].join('\n');
}
