import type { QueueItem } from './queue-item.js';
import type { SpeedMeter } from './transport/speed-meter.js';
import type { Totals, UploadState } from './types.js';
import { workOf } from './work-of.js';

/** Returns the total that counts a file. A file is active from its first request to its end. */
const counterOf = ({ status }: UploadState) =>
  status === 'uploading' || status === 'waiting' || status === 'paused' ? 'active' : status;

/** All bytes of the file are sent, and the service has not responded yet. */
const isFinishing = (state: UploadState): boolean => state.status === 'uploading' && state.phase === 'finishing';

/** Totals that are updated with each change of a file. Reading them takes constant time. */
export class UploadTotals implements Totals {
  files = 0;
  queued = 0;
  active = 0;
  done = 0;
  failed = 0;
  rejected = 0;
  finishing = 0;
  bytes = 0;
  /** Bytes of failed files, which `bytes` contains. */
  failedBytes = 0;
  sent = 0;
  unknownSizes = 0;
  /** Remaining work of queued and active files. */
  #remainingWork = 0;
  /** Measures the speed. The engine adds it, so it loads with the first file. */
  speedMeter: SpeedMeter | undefined;

  changeState(item: QueueItem, previous: UploadState): void {
    if (counterOf(previous) === counterOf(item.state) && isFinishing(previous) === isFinishing(item.state)) return;
    this.addFile(item, -1, previous);
    this.addFile(item, 1);
  }

  /** Adds bytes of a file that were sent. */
  addSent(bytes: number, size: number): void {
    this.sent += bytes;
    this.#remainingWork -= workOf(bytes, size);
  }

  get speed(): number | null {
    return this.speedMeter?.bytesPerSecond ?? null;
  }

  get secondsLeft(): number | null {
    const workPerSecond = this.speedMeter?.workPerSecond;
    return workPerSecond && this.unknownSizes === 0 ? this.#remainingWork / workPerSecond : null;
  }

  /** Adds a file to the totals (1), or removes it (-1). */
  addFile(item: QueueItem, sign: 1 | -1, state = item.state): void {
    // Files that are already in the list do not count as rejected.
    if (state.status === 'rejected' && state.rejection.code === 'DUPLICATE_FILE') return;
    const counter = counterOf(state);
    this[counter] += sign;
    if (counter === 'rejected') return;
    if (isFinishing(state)) this.finishing += sign;
    this.files += sign;
    this.bytes += sign * item.size;
    if (counter === 'failed') this.failedBytes += sign * item.size;
    this.sent += sign * item.sent;
    if (counter !== 'queued' && counter !== 'active') return;
    if (item.isSizeUnknown) this.unknownSizes += sign;
    this.#remainingWork += sign * workOf(item.size - item.sent, item.size);
  }
}
