import type { Progress } from '../../../src/s3/types.js';
import { formatDuration, formatNumber, formatSize, inColumns, printable } from './format.js';

/** Columns of the bar, in terminals that have room for it beside the numbers. */
const BAR = { most: 24, from: 60 };
/** Lines for large files under way, beside the one for the whole. */
const FILES = 4;

/** Redraws a few lines at the bottom of a terminal. */
export class ProgressView {
  #lines = 0;

  constructor(private readonly terminal: NodeJS.WriteStream) {}

  show(progress: Progress): void {
    const width = Math.max(40, this.terminal.columns ?? 80) - 1;
    const lines = progressLines(progress, width);
    const up = this.#lines > 0 ? `\u001B[${this.#lines}A` : '';
    this.terminal.write(`${up}\r${lines.map((line) => `${line}\u001B[K`).join('\n')}\n\u001B[J`);
    this.#lines = lines.length;
  }

  clear(): void {
    if (this.#lines === 0) return;
    this.terminal.write(`\u001B[${this.#lines}A\r\u001B[J`);
    this.#lines = 0;
  }
}

/** The whole on the first line, then the large files under way. */
export function progressLines(progress: Progress, width: number): string[] {
  const { files, skipped, failed, totalFiles, bytes, totalBytes, planned } = progress;
  const settled = files + skipped + failed;
  const more = planned ? '' : '+';
  const fraction = totalBytes > 0 ? bytes / totalBytes : totalFiles > 0 ? settled / totalFiles : 0;
  const speed = `${formatSize(progress.bytesPerSecond)}/s`;
  const left = progress.secondsLeft === undefined ? '' : `  ${formatDuration(progress.secondsLeft)} left`;
  const trouble = failed > 0 ? `  ${failed} failed` : '';
  // A share of what is not known yet would only run backwards.
  const share = planned ? `${bar(fraction, width)}${percent(fraction)}` : 'counting …';
  const head = `${share}  ${formatNumber(settled)}/${formatNumber(totalFiles)}${more} files`;
  const whole = `${head}  ${formatSize(bytes)}/${formatSize(totalBytes)}${more}  ${speed}${left}${trouble}`;
  const shown = progress.active.slice(0, FILES).map((file) => fileLine(file.name, file.bytes, file.size, width));
  const hidden = progress.active.length - shown.length;
  return [cut(whole, width), ...shown, ...(hidden > 0 ? [cut(`  and ${hidden} more large files`, width)] : [])];
}

function fileLine(name: string, bytes: number, size: number | undefined, width: number): string {
  const amount = size === undefined ? formatSize(bytes) : `${percent(size === 0 ? 1 : bytes / size)} of ${formatSize(size)}`;
  return `  ${inColumns(printable(name), width - amount.length - 4)}  ${amount}`;
}

const cut = (text: string, width: number): string => (text.length > width ? `${text.slice(0, width - 1)}…` : text);
const percent = (fraction: number): string => `${String(Math.floor(Math.min(1, fraction) * 100)).padStart(3)} %`;

function bar(fraction: number, width: number): string {
  if (width < BAR.from) return '';
  const length = Math.min(BAR.most, Math.floor(width / 5));
  const full = Math.round(Math.min(1, fraction) * length);
  return `${'█'.repeat(full)}${'░'.repeat(length - full)} `;
}
