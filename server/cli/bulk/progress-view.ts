import type { ActiveFile, Progress } from '../../../src/bulk/types.js';
import { formatDuration, formatNumber, formatSize, fitToWidth, escapeControls } from './format.js';

/** Columns of the bar, and the width of a terminal from which it is shown. */
const BAR = { max: 24, from: 60 };
/** The width from which the totals fit into one line. */
const ONE_LINE_FROM = 119;
/** The width from which large files show their speed and remaining time. */
const SPEED_FROM = 79;
/** Number of large files that are shown. */
const MAX_FILES = 4;

/** Draws the progress in the last lines of a terminal. */
export class ProgressView {
  #lineCount = 0;

  constructor(private readonly terminal: NodeJS.WriteStream) {}

  show(progress: Progress): void {
    const width = Math.max(40, this.terminal.columns ?? 80) - 1;
    const lines = progressLines(progress, width);
    const up = this.#lineCount > 0 ? `\u001B[${this.#lineCount}A` : '';
    this.terminal.write(`${up}\r${lines.map((line) => `${line}\u001B[K`).join('\n')}\n\u001B[J`);
    this.#lineCount = lines.length;
  }

  clear(): void {
    if (this.#lineCount === 0) return;
    this.terminal.write(`\u001B[${this.#lineCount}A\r\u001B[J`);
    this.#lineCount = 0;
  }
}

/** Returns the totals in one or two lines, then the large files. */
export function progressLines(progress: Progress, width: number): string[] {
  const { files, skipped, failed, totalFiles, bytes, totalBytes, planned } = progress;
  const settled = files + skipped + failed;
  const more = planned ? '' : '+';
  const fraction = totalBytes > 0 ? bytes / totalBytes : totalFiles > 0 ? settled / totalFiles : 0;
  const left = progress.secondsLeft === undefined ? [] : [`${formatDuration(progress.secondsLeft)} left`];
  const failures = failed > 0 ? [`${failed} failed`] : [];
  // While files are counted, the percentage would go down.
  const share = planned ? `${bar(fraction, width)}${percent(fraction)}` : 'counting …';
  const counts = [share, `${formatNumber(settled)}/${formatNumber(totalFiles)}${more} files`, ...failures];
  const pace = [`${formatSize(progress.bytesPerSecond)}/s`, ...left];
  const amounts = [`${formatSize(bytes)}/${formatSize(totalBytes)}${more}`, formatSize(bytes)];
  // A narrow terminal shows the remaining time and the failures first.
  const paced = amounts.map((amount) => line([amount, ...pace]));
  const whole =
    width < ONE_LINE_FROM
      ? [line(counts), paced.find((text) => text.length <= width) ?? line(pace)]
      : [line([...counts, paced[0]!])];
  const shown = progress.active.slice(0, MAX_FILES).map((file) => fileLine(file, width));
  const hidden = progress.active.length - shown.length;
  return [
    ...whole.map((text) => cut(text, width)),
    ...shown,
    ...(hidden > 0 ? [cut(`  and ${hidden} more large files`, width)] : []),
  ];
}

function fileLine({ name, bytes, size, bytesPerSecond }: ActiveFile, width: number): string {
  const amount = size === undefined ? formatSize(bytes) : `${percent(size === 0 ? 1 : bytes / size)} of ${formatSize(size)}`;
  const left = size === undefined ? [] : [`${formatDuration((size - bytes) / bytesPerSecond)} left`];
  const figures =
    width < SPEED_FROM || bytesPerSecond === 0 ? amount : line([amount, `${formatSize(bytesPerSecond)}/s`, ...left]);
  return `  ${fitToWidth(escapeControls(name), width - figures.length - 4)}  ${figures}`;
}

const line = (parts: string[]): string => parts.join('  ');
const cut = (text: string, width: number): string => (text.length > width ? `${text.slice(0, width - 1)}…` : text);
const percent = (fraction: number): string => `${String(Math.floor(Math.min(1, fraction) * 100)).padStart(3)} %`;

function bar(fraction: number, width: number): string {
  if (width < BAR.from) return '';
  const length = Math.min(BAR.max, Math.floor(width / 5));
  const full = Math.round(Math.min(1, fraction) * length);
  return `${'█'.repeat(full)}${'░'.repeat(length - full)} `;
}
