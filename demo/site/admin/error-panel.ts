import { BlobError } from '../../../src/protocol/errors.js';
import type { Transport, TransportFile } from '../../../src/protocol/transport.js';
import type { TransferEvent } from '../../../src/bulk/index.js';
import type { SvcUploader } from '../../../src/element/svc-uploader.js';
import { byId } from '../by-id.js';
import { formatSize } from '../format-size.js';
import { showMessage, describeError } from './messages.js';

/** What no file gets past before there are other keys, or a bucket. */
const BLOCKING_CODES = new Set([
  'CredentialsMissing',
  'ExpiredToken',
  'InvalidAccessKeyId',
  'InvalidToken',
  'NoSuchBucket',
  'SignatureDoesNotMatch',
]);
/** No answer, one of what stands before the store, or one that asks for less. */
const UNAVAILABLE_STATUSES = new Set([0, 429, 502, 503, 504]);
/** Milliseconds without a failure, or a success, after which the other is believed. */
const SETTLE_MS = 3000;
/** A shorter pause is over before anybody has read of it. */
const MINIMUM_DELAY_MS = 2000;

/** Keys, or a bucket, that let files in; or room in the store. */
export type WaitsFor = 'entry' | 'room';

/** Tells of a store that is away or refuses everything, or is full, beside the list that stands still for it. Of single files the list tells. */
export class ErrorPanel {
  #failedAt = 0;
  #succeededAt = 0;
  #isShown = false;
  /** What the transfer waits for, of a person. */
  waitsFor: WaitsFor | undefined;

  /** @param turned the transfer is held from now on, for this reason, or no longer */
  constructor(
    private readonly uploader: SvcUploader,
    private readonly turned: (reason?: unknown) => void,
  ) {
    uploader.addEventListener('svc-upload-retry', ({ detail: { error } }) => UNAVAILABLE_STATUSES.has(error.status) && this.#storeUnavailable(error.status));
    uploader.addEventListener('svc-upload-success', () => this.#transferMoves(true));
    uploader.addEventListener('svc-upload-progress', () => this.#transferMoves(false));
  }

  /** Of the engine, which itself sits out what is over in a moment. */
  onTransferEvent = (event: TransferEvent): void => {
    if (event.type === 'retry' && event.delayMs >= MINIMUM_DELAY_MS) this.#storeUnavailable(event.code === 'SlowDown' ? 503 : 0);
  };

  /** The same way; a refusal that every other file would meet as well holds the transfer, instead of failing them one by one. */
  pauseOnBlockingErrors(way: Transport): Transport {
    return {
      ...way,
      send: async (file, passage) => {
        try {
          return await way.send(file, passage);
        } catch (error) {
          if (!passage.signal.aborted && error instanceof BlobError) this.#checkError(error, file);
          throw error;
        }
      },
    };
  }

  /** Another connection: what was said of the last one holds no longer. */
  reset(): void {
    this.#succeededAt = this.#failedAt = 0;
    this.#clear();
  }

  #checkError({ code, cause, details }: BlobError, { name, relativePath, size }: TransportFile): void {
    const told = details['s3_code'] as string;
    if (code === 'STORAGE_FULL')
      this.#pause(
        'room',
        // Which file met it says nothing of which one fills it.
        `The store had no room for ${relativePath || name} (${formatSize(size)}): ${(cause as Error).message} Make room there, or take files off the list; then go on.`,
      );
    // Of one request alone it says that something on the way writes its name anew.
    else if (BLOCKING_CODES.has(told) && !(told === 'SignatureDoesNotMatch' && this.#succeededAt > 0))
      this.#pause('entry', `${describeError(cause)} Once you are connected again, the transfer goes on.`, cause);
  }

  #pause(what: WaitsFor, why: string, cause?: unknown): void {
    this.waitsFor = what;
    this.uploader.pause();
    this.#show(`Paused. ${why}`, what === 'room' ? 'Go on' : 'Connect again');
    this.turned(cause);
  }

  #storeUnavailable(status: number): void {
    this.#failedAt = Date.now();
    if (this.waitsFor || this.#failedAt - this.#succeededAt < SETTLE_MS) return;
    const isFull = status === 429 || status === 503;
    this.#show(`The store ${isFull ? 'asks for a pause' : 'cannot be reached'}. The transfer goes on by itself.`);
  }

  #transferMoves(isDone: boolean): void {
    if (isDone) this.#succeededAt = Date.now();
    // What is held moves when the person has it go on from the list.
    if (this.#isShown && (isDone || this.waitsFor || Date.now() - this.#failedAt > SETTLE_MS)) this.#clear();
  }

  #clear(): void {
    const wasHeld = this.waitsFor;
    this.waitsFor = undefined;
    this.#show('');
    if (wasHeld) this.turned();
  }

  /** @param act what its button does about it */
  #show(text: string, act = ''): void {
    const button = byId('error-action');
    // The focus must not vanish with the button it is on.
    if (act === '' && button.matches(':focus')) this.uploader.focus();
    this.#isShown = text !== '';
    showMessage('error-text', text, 'bad');
    button.textContent = act;
    button.hidden = act === '';
  }
}
