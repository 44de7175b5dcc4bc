import { BlobError } from '../../../src/protocol/errors.js';
import type { Transport, TransportFile } from '../../../src/protocol/transport.js';
import type { TransferEvent } from '../../../src/bulk/index.js';
import type { SvcUploader } from '../../../src/element/svc-uploader.js';
import { byId } from '../by-id.js';
import { sizeInWords } from '../size.js';
import { say, whatToDo } from './words.js';

/** What no file gets past before there are other keys, or a bucket. */
const BARRED = new Set([
  'CredentialsMissing',
  'ExpiredToken',
  'InvalidAccessKeyId',
  'InvalidToken',
  'NoSuchBucket',
  'SignatureDoesNotMatch',
]);
/** No answer, one of what stands before the store, or one that asks for less. */
const AWAY = new Set([0, 429, 502, 503, 504]);
/** Milliseconds without a failure, or a success, after which the other is believed. */
const TURN_MS = 3000;
/** A shorter pause is over before anybody has read of it. */
const WORTH_TELLING_MS = 2000;

/** Keys, or a bucket, that let files in; or room in the store. */
export type Held = 'entry' | 'room';

/** Tells of a store that is away or refuses everything, or is full, beside the list that stands still for it. Of single files the list tells. */
export class Trouble {
  #failedAt = 0;
  #succeededAt = 0;
  #isTold = false;
  /** What the transfer waits for, of a person. */
  held: Held | undefined;

  /** @param turned the transfer is held from now on, for this reason, or no longer */
  constructor(
    private readonly uploader: SvcUploader,
    private readonly turned: (reason?: unknown) => void,
  ) {
    uploader.addEventListener('svc-upload-retry', ({ detail: { error } }) => AWAY.has(error.status) && this.#away(error.status));
    uploader.addEventListener('svc-upload-success', () => this.#moves(true));
    uploader.addEventListener('svc-upload-progress', () => this.#moves(false));
  }

  /** Of the engine, which itself sits out what is over in a moment. */
  heard = (event: TransferEvent): void => {
    if (event.type === 'retry' && event.delayMs >= WORTH_TELLING_MS) this.#away(event.code === 'SlowDown' ? 503 : 0);
  };

  /** The same way; a refusal that every other file would meet as well holds the transfer, instead of failing them one by one. */
  holding(way: Transport): Transport {
    return {
      ...way,
      send: async (file, passage) => {
        try {
          return await way.send(file, passage);
        } catch (error) {
          if (!passage.signal.aborted && error instanceof BlobError) this.#judge(error, file);
          throw error;
        }
      },
    };
  }

  /** Another connection: what was said of the last one holds no longer. */
  over(): void {
    this.#succeededAt = this.#failedAt = 0;
    this.#calm();
  }

  #judge({ code, cause, details }: BlobError, { name, relativePath, size }: TransportFile): void {
    const told = details['s3_code'] as string;
    if (code === 'STORAGE_FULL')
      this.#hold(
        'room',
        // Which file met it says nothing of which one fills it.
        `The store had no room for ${relativePath || name} (${sizeInWords(size)}): ${(cause as Error).message} Make room there, or take files off the list; then go on.`,
      );
    // Of one request alone it says that something on the way writes its name anew.
    else if (BARRED.has(told) && !(told === 'SignatureDoesNotMatch' && this.#succeededAt > 0))
      this.#hold('entry', `${whatToDo(cause)} Once you are connected again, the transfer goes on.`, cause);
  }

  #hold(what: Held, why: string, cause?: unknown): void {
    this.held = what;
    this.uploader.pause();
    this.#tell(`Paused. ${why}`, what === 'room' ? 'Go on' : 'Connect again');
    this.turned(cause);
  }

  #away(status: number): void {
    this.#failedAt = Date.now();
    if (this.held || this.#failedAt - this.#succeededAt < TURN_MS) return;
    const isFull = status === 429 || status === 503;
    this.#tell(`The store ${isFull ? 'asks for a pause' : 'cannot be reached'}. The transfer goes on by itself.`);
  }

  #moves(isDone: boolean): void {
    if (isDone) this.#succeededAt = Date.now();
    // What is held moves when the person has it go on from the list.
    if (this.#isTold && (isDone || this.held || Date.now() - this.#failedAt > TURN_MS)) this.#calm();
  }

  #calm(): void {
    const wasHeld = this.held;
    this.held = undefined;
    this.#tell('');
    if (wasHeld) this.turned();
  }

  /** @param act what its button does about it */
  #tell(text: string, act = ''): void {
    const button = byId('trouble-act');
    // The focus must not vanish with the button it is on.
    if (act === '' && button.matches(':focus')) this.uploader.focus();
    this.#isTold = text !== '';
    say('trouble', text, 'bad');
    button.textContent = act;
    button.hidden = act === '';
  }
}
