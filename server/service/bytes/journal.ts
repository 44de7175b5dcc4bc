import { execFile } from 'node:child_process';
import { mkdir, open, readdir, readFile, rm } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import { flushDirectory } from '../durability/flush-directory.js';
import { SharedFlush } from '../durability/shared-flush.js';
import { errorOf, startWorker } from '../workers/start.js';
import { journalWorker } from './journal-worker.js';
import type { Batch, Written } from './journal-worker.js';

/** A record: magic, CRC-32 of what follows, length of the body, the blob's id, the body. */
const MAGIC = 0x73766a31;
const ID_BYTES = 32;
const HEADER = 12 + ID_BYTES;
/** A journal this long is retired; so much is replayed after a crash at most. */
const MOST = 32 * 1024 * 1024;

/**
 * Makes many small blobs durable with one flush. A small blob's file is written without a flush of its own, and its bytes once more into the
 * journal, which is flushed for everybody who waits; all of that in a thread of its own, since making a file costs more than most of what
 * the service does for it. When a journal has grown it is retired: the whole file system is flushed once, then the
 * journal is deleted. After a crash `replay` writes every blob of the journals again.
 */
export class Journal {
  readonly #folder: string;
  readonly #data: string;
  readonly #worker = startWorker(journalWorker);
  readonly #shared = new SharedFlush(() => this.#write());
  #waiting: Buffer[] = [];
  #current: { path: string; file: FileHandle; length: number } | undefined;
  #retiring: Promise<void> = Promise.resolve();
  #count = 0;

  private constructor(folder: string, data: string) {
    this.#folder = folder;
    this.#data = data;
  }

  /** Replays what a crash left into `restore`, then starts anew. Only for the one process that serves the store. */
  static async open(folder: string, data: string, restore: (id: string, bytes: Uint8Array) => Promise<void>): Promise<Journal> {
    await mkdir(folder, { recursive: true });
    const left = await readdir(folder);
    for (const name of left) for (const [id, bytes] of records(await readFile(join(folder, name)))) await restore(id, bytes);
    if (left.length > 0) await flushEverything(folder);
    for (const name of left) await rm(join(folder, name), { force: true });
    await flushDirectory(folder);
    return new Journal(folder, data);
  }

  /** Writes a blob. Resolves when it survives a power cut; its folder must be there. */
  write(id: string, bytes: Uint8Array): Promise<void> {
    // Of memory of its own, which can be handed over to the worker.
    const record = Buffer.allocUnsafeSlow(HEADER + bytes.byteLength);
    record.writeUInt32BE(MAGIC, 0);
    record.writeUInt32BE(bytes.byteLength, 8);
    record.write(id, 12, ID_BYTES, 'latin1');
    record.set(bytes, HEADER);
    record.writeUInt32BE(crc32(record.subarray(8)), 4);
    this.#waiting.push(record);
    return this.#shared.flush();
  }

  /** Afterwards nothing is left to replay. */
  async close(): Promise<void> {
    await this.#shared.flush().catch(() => {});
    this.#retire();
    await this.#retiring;
    await this.#worker.terminate();
  }

  async #write(): Promise<void> {
    const batch = this.#waiting;
    this.#waiting = [];
    if (batch.length === 0) return;
    try {
      const current = (this.#current ??= await this.#begin());
      // At a stated position: what a failed write left behind is written over.
      const bytes = batch.length === 1 ? batch[0]! : concat(batch);
      const { length } = bytes;
      await this.#post({ data: this.#data, fd: current.file.fd, at: current.length, records: bytes });
      current.length += length;
      if (current.length >= MOST) this.#retire();
    } catch (cause) {
      // After a failed flush nobody knows what of the file reached the disk: go on in a new one.
      this.#retire();
      throw cause;
    }
  }

  /** One batch at a time. */
  #post(batch: Batch): Promise<void> {
    const worker = this.#worker;
    return new Promise<void>((resolve, reject) => {
      if (worker.threadId === -1) throw ended();
      const done = (failure: Written) => {
        worker.off('exit', died).unref();
        if (failure) reject(errorOf(failure));
        else resolve();
      };
      const died = () => reject(ended());
      worker.once('message', done).once('exit', died).ref();
      worker.postMessage(batch, [batch.records.buffer as ArrayBuffer]);
    });
  }

  async #begin() {
    const path = join(this.#folder, `${Date.now()}-${this.#count++}`);
    const file = await open(path, 'wx');
    await flushDirectory(this.#folder);
    return { path, file, length: 0 };
  }

  #retire(): void {
    const old = this.#current;
    this.#current = undefined;
    if (!old) return;
    this.#retiring = this.#retiring.then(async () => {
      await old.file.close();
      await flushEverything(this.#folder);
      await rm(old.path, { force: true });
    });
    // What could not be flushed stays in its journal, for the next start.
    this.#retiring = this.#retiring.catch(() => {});
  }
}

const ended = () => new Error('the thread that writes small blobs has ended');

function concat(records: readonly Buffer[]): Buffer {
  const all = Buffer.allocUnsafeSlow(records.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const record of records) at += record.copy(all, at);
  return all;
}

function* records(journal: Buffer): Generator<[id: string, bytes: Uint8Array]> {
  for (let at = 0; at + HEADER <= journal.length;) {
    const end = at + HEADER + journal.readUInt32BE(at + 8);
    // The end, or a record that was never answered.
    if (journal.readUInt32BE(at) !== MAGIC || end > journal.length) return;
    if (crc32(journal.subarray(at + 8, end)) !== journal.readUInt32BE(at + 4)) return;
    yield [journal.toString('latin1', at + 12, at + HEADER), journal.subarray(at + HEADER, end)];
    at = end;
  }
}

/** syncfs(2), which Node does not offer: one call in place of an fsync for each of thousands of files. */
async function flushEverything(folder: string): Promise<void> {
  await promisify(execFile)('sync', ['-f', folder]);
}
