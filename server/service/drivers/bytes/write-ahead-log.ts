import { mkdir, open, readdir, readFile, rm } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { flushDirectory } from '../../runtime/durability/flush-directory.js';
import { SharedFlush } from '../../runtime/durability/shared-flush.js';
import { toError, WorkerThreadPool } from '../../runtime/threads/worker-thread.js';
import type { WorkerFailure } from '../../runtime/threads/worker-thread.js';
import { blobPath } from './blob-paths.js';
import { flushLoggedBlobs } from './flush-logged-blobs.js';
import { decodeRecords, encodeRecord, joinRecords } from './log-records.js';
import type { LogRecord } from './log-records.js';

/** Message to `write-ahead-log-worker.js`: blobs to write and flush together. */
export interface Batch {
  /** Descriptor of the open log. */
  logFd: number;
  /** Position in the log, in bytes. */
  logPosition: number;
  /** Records as `log-records.ts` encodes them. */
  records: Uint8Array;
  /** Path of each blob, and the position of its bytes in `records`. */
  blobs: { path: string; start: number; end: number }[];
}

/** `undefined`: everything is on the disk. `isFlushFailure`: the disk did not confirm bytes that had been written. */
export type BatchResponse = (WorkerFailure & { isFlushFailure: boolean }) | undefined;

/** A log of this length in bytes is retired. A start after a crash replays at most this much of each log. */
const MAX_LOG_BYTES = 32 * 1024 * 1024;
/** Retired logs that wait for the flush of their blobs. Writers wait beyond that, because a slow disk would accumulate logs. */
const MAX_RETIRED = 4;

/** Services of one process share threads, because starting one takes a quarter of the start of a service. */
const pool = new WorkerThreadPool<Batch, BatchResponse>(
  // Bundlers recognize exactly this form and copy the file.
  () => new Worker(new URL('./write-ahead-log-worker.js', import.meta.url), { execArgv: [] }),
);

interface OpenLog {
  path: string;
  file: FileHandle;
  number: number;
  /** Bytes that are flushed. */
  length: number;
}

/**
 * Makes many small blobs durable with one flush. A worker thread writes each blob's file without a flush, appends the blob to the log, and
 * flushes the log once for all callers that wait. A log that has grown is retired: its blobs are flushed, then the log is deleted.
 * After a crash `open` writes the blobs of all logs again.
 *
 * A failed flush may have lost any bytes that were not on the disk. Linux reports such a loss only once, and a later flush succeeds without
 * these bytes. Therefore every log that exists at a failed flush stays until the next start, which writes its blobs again.
 */
export class WriteAheadLog {
  readonly #folder: string;
  readonly #dataFolder: string;
  readonly #thread = pool.acquire();
  readonly #sharedFlush = new SharedFlush(() => this.#writeQueued());
  #queued: LogRecord[] = [];
  #current: OpenLog | undefined;
  #retiring: Promise<void> = Promise.resolve();
  #retiredCount = 0;
  #nextNumber = 0;
  /** Logs with a smaller number stay until the next start. */
  #keepBelow = 0;

  private constructor(folder: string, dataFolder: string) {
    this.#folder = folder;
    this.#dataFolder = dataFolder;
  }

  /**
   * Replays the logs that a crash left, deletes them, and starts a new log. Only the process that serves the store may call it.
   * @param restore writes a blob again, without a flush.
   */
  static async open(
    folder: string,
    dataFolder: string,
    restore: (id: string, bytes: Uint8Array) => Promise<void>,
  ): Promise<WriteAheadLog> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const logs = (await readdir(folder)).map((name) => join(folder, name));
    for (const log of logs) for (const [id, bytes] of decodeRecords(await readFile(log))) await restore(id, bytes);
    if (logs.length > 0) await flushLoggedBlobs(logs, dataFolder);
    for (const log of logs) await rm(log, { force: true });
    await flushDirectory(folder);
    return new WriteAheadLog(folder, dataFolder);
  }

  /** Writes a blob, whose folder must exist. Resolves when the blob survives a power cut. */
  write(id: string, bytes: Uint8Array): Promise<void> {
    this.#queued.push(encodeRecord(id, bytes));
    return this.#sharedFlush.flush();
  }

  /** Flushes all blobs and deletes the logs, so that the next start has nothing to replay. */
  async close(): Promise<void> {
    await this.#sharedFlush.flush().catch(() => {});
    this.#retire();
    await this.#retiring;
    this.#thread.release();
  }

  async #writeQueued(): Promise<void> {
    const batch = this.#queued;
    this.#queued = [];
    if (batch.length === 0) return;
    try {
      const log = (this.#current ??= await this.#createLog());
      const { bytes: records, bodies } = joinRecords(batch);
      const { length } = records;
      const blobs = bodies.map(({ id, start, end }) => ({ path: blobPath(this.#dataFolder, id), start, end }));
      // The stated position overwrites what a failed write left behind.
      const request = { logFd: log.file.fd, logPosition: log.length, records, blobs };
      const failure = await this.#thread.request(request, [records.buffer as ArrayBuffer]);
      if (failure) {
        if (failure.isFlushFailure) this.#keepBelow = this.#nextNumber;
        throw toError(failure);
      }
      log.length += length;
      if (log.length >= MAX_LOG_BYTES) this.#retire();
    } catch (cause) {
      // The file may contain any part of the failed write, so the next batch starts a new file.
      this.#retire();
      throw cause;
    }
  }

  async #createLog(): Promise<OpenLog> {
    while (this.#retiredCount >= MAX_RETIRED) await this.#retiring;
    const number = this.#nextNumber++;
    const path = join(this.#folder, `${Date.now()}-${number}`);
    const file = await open(path, 'wx', 0o600);
    try {
      await flushDirectory(this.#folder);
    } catch (cause) {
      await file.close();
      throw cause;
    }
    return { path, file, number, length: 0 };
  }

  #retire(): void {
    const log = this.#current;
    this.#current = undefined;
    if (!log) return;
    this.#retiredCount += 1;
    this.#retiring = this.#retiring.then(async () => {
      await this.#deleteLog(log).catch(() => {
        this.#keepBelow = this.#nextNumber;
      });
      this.#retiredCount -= 1;
    });
  }

  /** Flushes the blobs of a log and deletes it. */
  async #deleteLog({ path, file, number, length }: OpenLog): Promise<void> {
    await file.close();
    // A log without a flushed record contains no acknowledged blob.
    if (length > 0) await flushLoggedBlobs([path], this.#dataFolder);
    if (length === 0 || number >= this.#keepBelow) await rm(path, { force: true });
  }
}
