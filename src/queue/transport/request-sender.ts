import { BlobError, validationError } from '../../protocol/errors.js';
import type { Transport } from '../../protocol/transport.js';
import { loadChunk } from '../load-chunk.js';
import type { QueueItem } from '../queue-item.js';
import type { QueueState } from '../queue-state.js';
import { SEND_AGAIN } from '../outcome.js';
import type { Outcome } from '../outcome.js';
import type { Limits } from '../types.js';
import { nextTask } from '../tasks.js';
import { isProgrammerError } from '../tokens/programmer-error.js';
import type { UploadToken } from '../tokens/read-token.js';
import { findGrown } from '../verification/unreadable-file.js';
import type { hashDuringUpload } from '../verification/verify-digest.js';
import { sendBatch } from './send-batch.js';
import type { ResumableContext } from './send-resumable.js';
import { sendForm } from './send-form.js';
import { sendSingle } from './send-single.js';
import { StallMonitor } from './stall-monitor.js';
import { UppyClient } from './uppy-client.js';
import { RecordValidator, validateTransportResult } from './validate-record.js';

export interface SenderOptions {
  transport: Transport | null;
  batchUpTo: number;
  resumableFrom: number;
  stallAfter: number;
  verify: boolean;
  resumeScope: string;
  limits: Limits;
}

/** Way to send files: one file as the body, several in one form, or one file resumably. */
type Route = 'single' | 'batch' | 'resumable';
type Responses = readonly (Outcome | undefined)[];

/** A restored upload has no bytes in this page, and is never sent. */
type Sendable = QueueItem & { file: File };

const loadFetchUrl = () => loadChunk('fetchUrl', () => import('./fetch-url.js'));
const loadSendResumable = () => loadChunk('sendResumable', () => import('./send-resumable.js'));
const loadTerminate = () => loadChunk('terminate', () => import('./send-resumable.js'));
const loadHashDuringUpload = () => loadChunk('hashDuringUpload', () => import('../verification/verify-digest.js'));

/** Sends the files of one request over the route that fits them, watches the progress, and verifies the response. */
export class RequestSender {
  readonly #client = new UppyClient();
  /** Routes that the service does not have, by its own response. */
  readonly #unsupported = new Set<Route>();
  readonly #records = new RecordValidator();
  #hashDuringUpload: typeof hashDuringUpload | undefined;

  constructor(
    private readonly state: QueueState,
    private readonly options: () => SenderOptions,
  ) {}

  /** Returns whether a file may share a request with others. */
  canBatch(item: QueueItem): boolean {
    const { transport, batchUpTo } = this.options();
    // The options of a batch apply to all its files.
    return !transport && !item.url && !this.#unsupported.has('batch') && item.size <= batchUpTo && item.metadata === undefined;
  }

  /**
   * Loads the code that the files need. The code that verifies them must load before anything is sent: a file that is stored and cannot
   * be verified would be sent again.
   * @throws BlobError `NETWORK_ERROR` if the code that verifies the files does not load
   */
  async prepare(items: readonly QueueItem[]): Promise<void> {
    const { transport, verify } = this.options();
    if (transport) return;
    // The token is fetched meanwhile. `send` handles a failure.
    if (this.#routeOf(items) === 'resumable') loadSendResumable().catch(() => {});
    const needsVerification = verify || items.some(({ isContinued }) => isContinued);
    this.#hashDuringUpload = needsVerification ? await loadHashDuringUpload() : undefined;
  }

  /**
   * @param token undefined if the page's own transport carries the files
   * @param request aborted to end the request
   * @returns the outcome of each file, in order
   * @throws BlobError if the request as a whole failed; `STALLED` if nothing moved; the reason of `request` if it was aborted before
   */
  async send(items: readonly QueueItem[], token: UploadToken | undefined, request: AbortController): Promise<Outcome[]> {
    const stallAfter = token ? this.options().stallAfter : null;
    const monitor = new StallMonitor(items, this.state, { stallAfter, request });
    const grownFiles = token ? findGrown(items, request.signal, monitor.abortUnreadable) : undefined;
    // The bytes of a URL are not in the page.
    let verification = token && !items[0]!.url ? this.#hashDuringUpload?.(items, request.signal) : undefined;
    const verifyWhole = async () => {
      const startHashing = await loadHashDuringUpload();
      verification ??= startHashing(items, request.signal);
    };
    let outcomes: Outcome[];
    try {
      // Requests that got their token at the same time are not built in one task.
      await nextTask();
      request.signal.throwIfAborted();
      outcomes = token
        ? this.#records.validate(items, await this.#sendToService(items, monitor, { token, signal: request.signal, verifyWhole }))
        : [validateTransportResult(await this.#sendByTransport(items[0]!, monitor, request.signal))];
    } finally {
      monitor.stop();
    }
    const growthErrors = await grownFiles;
    if (growthErrors) outcomes = outcomes.map((outcome, index) => growthErrors.get(items[index]!) ?? outcome);
    return verification ? verification(outcomes) : outcomes;
  }

  /** Tells the service that a removed file will not be finished, so that its storage and its use of the token are free at once. */
  release(item: QueueItem): void {
    this.options().transport?.abandon?.(item as Sendable);
    const { token } = item;
    if (!token) return;
    loadTerminate()
      .then((terminate) => terminate(this.#client, item, token))
      .catch(() => {});
  }

  destroy(): void {
    this.#client.destroy();
  }

  #routeOf(items: readonly QueueItem[]): Route {
    if (items.length > 1) return 'batch';
    const isLarge = items[0]!.size >= this.options().resumableFrom;
    return isLarge && !this.#unsupported.has('resumable') ? 'resumable' : 'single';
  }

  async #sendByTransport(item: QueueItem, monitor: StallMonitor, signal: AbortSignal): Promise<unknown> {
    item.hasStarted = true;
    try {
      return await this.options().transport!.send(item as Sendable, {
        signal,
        progress: (sent) => monitor.onProgress(item, sent),
        resumed: (offset) => monitor.onResumed(item, offset),
      });
    } catch (cause) {
      throw isProgrammerError(cause)
        ? validationError('transport', `threw an error. Fix it: ${cause.message}`, { cause })
        : cause;
    }
  }

  /** Sends the files. If the service lacks their route, they are sent again, and the route is not used any more. */
  async #sendToService(
    items: readonly QueueItem[],
    monitor: StallMonitor,
    context: Pick<ResumableContext, 'token' | 'signal' | 'verifyWhole'>,
  ): Promise<Responses> {
    const item = items[0]!;
    if (item.url !== undefined) {
      const { state } = this;
      const progress = (bytes: number) => monitor.onProgress(item, bytes);
      return [await (await loadFetchUrl())(item, { ...context, state, limits: this.options().limits, progress })];
    }
    const route = this.#routeOf(items);
    const fileContext: ResumableContext = {
      ...context,
      resumeScope: this.options().resumeScope,
      progress: (sent) => monitor.onProgress(item, sent),
      resumed: (offset) => monitor.onResumed(item, offset),
    };
    try {
      if (route === 'batch') return await sendBatch(this.#client, items, context, monitor.onProgress);
      // A file goes in one request if the code does not load. The next large file loads it again.
      const sendWhole = item.metadata === undefined ? sendSingle : sendForm;
      const sendFile = route === 'resumable' ? await loadSendResumable().catch(() => sendWhole) : sendWhole;
      return [await sendFile(this.#client, item, fileContext)];
    } catch (error) {
      if (route === 'single' || !isRouteMissing(error)) throw error;
      this.#unsupported.add(route);
      throw SEND_AGAIN;
    }
  }
}

/** Returns whether the service responded that it has no such route. */
const isRouteMissing = (error: unknown): boolean =>
  error instanceof BlobError &&
  (error.status === 405 || (error.status === 404 && ['NOT_FOUND', 'UNEXPECTED_ANSWER'].includes(error.code)));
