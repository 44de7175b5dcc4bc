import type { ActiveFile, Progress } from '../../../src/bulk/types.js';
import { formatDuration, formatNumber, formatSize, fitToWidth, escapeControls } from './format.js';

/** Columns of the progress bar. */
const MAX_BAR_WIDTH = 24;
/** Width of a terminal from which the bar is shown. */
const MIN_WIDTH_FOR_BAR = 60;
/** Width from which the totals fit into one line. */
const MIN_WIDTH_FOR_ONE_LINE = 119;
/** Width from which large files show their speed and remaining time. */
const MIN_WIDTH_FOR_SPEED = 79;
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

/** Returns the totals in one or two lines, then one line for each large file in transfer. */
export function progressLines(progress: Progress, width: number): string[] {
  const shownFiles = progress.active.slice(0, MAX_FILES).map((file) => fileLine(file, width));
  const hiddenCount = progress.active.length - shownFiles.length;
  return [
    ...totalLines(progress, width).map((text) => cut(text, width)),
    ...shownFiles,
    ...(hiddenCount > 0 ? [cut(`  and ${hiddenCount} more large files`, width)] : []),
  ];
}

function totalLines(progress: Progress, width: number): string[] {
  const { files, skipped, failed, totalFiles, bytes, totalBytes, planned, secondsLeft } = progress;
  const completedFiles = files + skipped + failed;
  const fraction = totalBytes > 0 ? bytes / totalBytes : totalFiles > 0 ? completedFiles / totalFiles : 0;
  // While files are counted, the totals grow, so a percentage would go down.
  const plus = planned ? '' : '+';
  const counts = [
    planned ? `${bar(fraction, width)}${percent(fraction)}` : 'counting …',
    `${formatNumber(completedFiles)}/${formatNumber(totalFiles)}${plus} files`,
    ...(failed > 0 ? [`${failed} failed`] : []),
  ];
  const speed = [
    `${formatSize(progress.bytesPerSecond)}/s`,
    ...(secondsLeft === undefined ? [] : [`${formatDuration(secondsLeft)} left`]),
  ];
  const amount = formatSize(bytes);
  const amountOfTotal = `${amount}/${formatSize(totalBytes)}${plus}`;
  if (width >= MIN_WIDTH_FOR_ONE_LINE) return [joinFields([...counts, amountOfTotal, ...speed])];
  // A narrow terminal leaves out the amounts before the speed and the remaining time.
  const candidates = [[amountOfTotal, ...speed], [amount, ...speed], speed].map(joinFields);
  return [joinFields(counts), candidates.find((text) => text.length <= width) ?? joinFields(speed)];
}

function fileLine({ name, bytes, size, bytesPerSecond }: ActiveFile, width: number): string {
  const amount = size === undefined ? formatSize(bytes) : `${percent(size === 0 ? 1 : bytes / size)} of ${formatSize(size)}`;
  const remaining = size === undefined ? [] : [`${formatDuration((size - bytes) / bytesPerSecond)} left`];
  const hasSpeed = width >= MIN_WIDTH_FOR_SPEED && bytesPerSecond > 0;
  const figures = hasSpeed ? joinFields([amount, `${formatSize(bytesPerSecond)}/s`, ...remaining]) : amount;
  return `  ${fitToWidth(escapeControls(name), width - figures.length - 4)}  ${figures}`;
}

const joinFields = (fields: string[]): string => fields.join('  ');
const cut = (text: string, width: number): string => (text.length > width ? `${text.slice(0, width - 1)}…` : text);
const percent = (fraction: number): string => `${String(Math.floor(Math.min(1, fraction) * 100)).padStart(3)} %`;

function bar(fraction: number, width: number): string {
  if (width < MIN_WIDTH_FOR_BAR) return '';
  const length = Math.min(MAX_BAR_WIDTH, Math.floor(width / 5));
  const filled = Math.round(Math.min(1, fraction) * length);
  return `${'█'.repeat(filled)}${'░'.repeat(length - filled)} `;
}
