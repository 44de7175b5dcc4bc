import { BlobError } from '../../../src/protocol/errors.js';
import type { Transport, TransportFile } from '../../../src/protocol/transport.js';
import type { TransferEvent } from '../../../src/bulk/index.js';
import type { SvcUploader } from '../../../src/element/svc-uploader.js';
import { byId } from '../by-id.js';
import { formatSize } from '../format-size.js';
import { describeError, showMessage } from './messages.js';

/** Errors that every file meets until the keys or the bucket change. */
const BLOCKING_CODES = new Set([
  'CredentialsMissing',
  'ExpiredToken',
  'InvalidAccessKeyId',
  'InvalidToken',
  'NoSuchBucket',
  'SignatureDoesNotMatch',
]);
/** No response, a response of a gateway, or a request for a pause. */
const UNAVAILABLE_STATUSES = new Set([0, 429, 502, 503, 504]);
/** Milliseconds without a success, or without a failure, before the panel appears or disappears. */
const SETTLE_MS = 3000;
/** Shorter pauses are not shown. */
const MINIMUM_DELAY_MS = 2000;

/** A reason for a pause: the keys or the bucket do not work, or the store has no space. */
export type PauseReason = 'access' | 'space';

/** Tells that the store is unavailable, refuses everything, or is full. The list of the element tells about single files. */
export class ErrorPanel {
  #failedAt = 0;
  #succeededAt = 0;
  #isShown = false;
  /** The reason, while the transfer is paused. */
  waitsFor: PauseReason | undefined;

  /** @param onPauseChange called when the transfer is paused, with the reason, and when it continues */
  constructor(
    private readonly uploader: SvcUploader,
    private readonly onPauseChange: (reason?: unknown) => void,
  ) {
    uploader.addEventListener('svc-upload-retry', ({ detail: { error } }) => {
      if (UNAVAILABLE_STATUSES.has(error.status)) this.#storeUnavailable(error.status);
    });
    uploader.addEventListener('svc-upload-success', () => this.#transferMoves(true));
    uploader.addEventListener('svc-upload-progress', () => this.#transferMoves(false));
  }

  /** Listens to the engine, which retries short failures itself. */
  onTransferEvent = (event: TransferEvent): void => {
    if (event.type === 'retry' && event.delayMs >= MINIMUM_DELAY_MS) this.#storeUnavailable(event.code === 'SlowDown' ? 503 : 0);
  };

  /** Wraps a transport. An error that every file would meet pauses the transfer, instead of failing the files one by one. */
  pauseOnBlockingErrors(transport: Transport): Transport {
    return {
      ...transport,
      send: async (file, context) => {
        try {
          return await transport.send(file, context);
        } catch (error) {
          if (!context.signal.aborted && error instanceof BlobError) this.#checkError(error, file);
          throw error;
        }
      },
    };
  }

  /** Forgets the errors of an earlier connection. */
  reset(): void {
    this.#succeededAt = this.#failedAt = 0;
    this.#clear();
  }

  #checkError({ code, cause, details }: BlobError, { name, relativePath, size }: TransportFile): void {
    const s3Code = details['s3_code'] as string;
    // A single wrong signature, after successes, means that something changes this request on its way.
    const isSingleRefusal = s3Code === 'SignatureDoesNotMatch' && this.#succeededAt > 0;
    if (code === 'STORAGE_FULL') {
      const file = `${relativePath || name} (${formatSize(size)})`;
      const message = (cause as Error).message;
      this.#pause(
        'space',
        `The store has no space for ${file}: ${message} Make space there, or remove files from the list. Then continue.`,
      );
    } else if (BLOCKING_CODES.has(s3Code) && !isSingleRefusal)
      this.#pause('access', `${describeError(cause)} The transfer continues after you connect again.`, cause);
  }

  #pause(waitsFor: PauseReason, reason: string, cause?: unknown): void {
    this.waitsFor = waitsFor;
    this.uploader.pause();
    this.#show(`Paused. ${reason}`, waitsFor === 'space' ? 'Continue' : 'Connect again');
    this.onPauseChange(cause);
  }

  #storeUnavailable(status: number): void {
    this.#failedAt = Date.now();
    if (this.waitsFor || this.#failedAt - this.#succeededAt < SETTLE_MS) return;
    const isOverloaded = status === 429 || status === 503;
    this.#show(`The store ${isOverloaded ? 'is overloaded' : 'cannot be reached'}. The transfer continues by itself.`);
  }

  #transferMoves(isSuccess: boolean): void {
    if (isSuccess) this.#succeededAt = Date.now();
    // A paused transfer moves if the visitor continued it in the list.
    if (this.#isShown && (isSuccess || this.waitsFor || Date.now() - this.#failedAt > SETTLE_MS)) this.#clear();
  }

  #clear(): void {
    const wasPaused = this.waitsFor;
    this.waitsFor = undefined;
    this.#show('');
    if (wasPaused) this.onPauseChange();
  }

  /** @param action text of the button; '' for none */
  #show(text: string, action = ''): void {
    const button = byId('error-action');
    // Moves the focus before its button disappears.
    if (action === '' && button.matches(':focus')) this.uploader.focus();
    this.#isShown = text !== '';
    showMessage('error-text', text, 'bad');
    button.textContent = action;
    button.hidden = action === '';
  }
}
