import { execFile } from 'node:child_process';
import { mkdir, open, readdir, readFile, rm } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import { flushDirectory } from '../../runtime/durability/flush-directory.js';
import { SharedFlush } from '../../runtime/durability/shared-flush.js';
import { errorOf, startWorker } from '../../runtime/threads/start-worker.js';
import { journalWorker } from './write-ahead-log-worker.js';
import type { Batch, Written } from './write-ahead-log-worker.js';

/** A record: magic, CRC-32 of what follows, length of the body, the blob's id, the body. */
const MAGIC = 0x73766a31;
const ID_BYTES = 32;
const HEADER = 12 + ID_BYTES;
/** A journal this long is retired; so much is replayed after a crash at most. */
const MOST = 32 * 1024 * 1024;
/** Retired journals whose blobs are not flushed yet. Beyond that, writers wait: a slow disk would pile them up. */
const MOST_RETIRED = 4;

/**
 * Makes many small blobs durable with one flush. A small blob's file is written without a flush of its own, and its bytes once more into the
 * journal, which is flushed for everybody who waits; all of that in a thread of its own, since making a file costs more than most of what
 * the service does for it. When a journal has grown it is retired: its blobs are flushed, then the
 * journal is deleted. After a crash `open` writes every blob of the journals again.
 *
 * A failed flush may have lost any bytes that were not yet on the disk, and Linux reports such a loss only once: a later flush succeeds
 * without them. So every journal that exists at a failed flush stays until the next start, which writes its blobs again.
 */
export class Journal {
  readonly #folder: string;
  readonly #data: string;
  readonly #worker = startWorker(journalWorker);
  readonly #shared = new SharedFlush(() => this.#write());
  #waiting: Buffer[] = [];
  #current: OpenJournal | undefined;
  #retiring: Promise<void> = Promise.resolve();
  #retired = 0;
  #count = 0;
  /** Journals with a smaller number stay until the next start. */
  #kept = 0;

  private constructor(folder: string, data: string) {
    this.#folder = folder;
    this.#data = data;
  }

  /** Replays what a crash left into `restore`, then starts anew. Only for the one process that serves the store. */
  static async open(folder: string, data: string, restore: (id: string, bytes: Uint8Array) => Promise<void>): Promise<Journal> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const left = (await readdir(folder)).map((name) => join(folder, name));
    for (const path of left) for (const [id, bytes] of records(await readFile(path))) await restore(id, bytes);
    if (left.length > 0) await flushBlobs(left, data);
    for (const path of left) await rm(path, { force: true });
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
      // The file may hold any part of the failed write, so the log continues in a new file.
      if ((cause as { atFlush?: boolean }).atFlush) this.#kept = this.#count;
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
        if (failure) reject(Object.assign(errorOf(failure), { atFlush: failure.atFlush }));
        else resolve();
      };
      const died = () => reject(ended());
      worker.once('message', done).once('exit', died).ref();
      worker.postMessage(batch, [batch.records.buffer as ArrayBuffer]);
    });
  }

  async #begin(): Promise<OpenJournal> {
    while (this.#retired >= MOST_RETIRED) await this.#retiring;
    const number = this.#count++;
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
    const old = this.#current;
    this.#current = undefined;
    if (!old) return;
    this.#retired += 1;
    this.#retiring = this.#retiring.then(async () => {
      await this.#release(old).catch(() => {
        this.#kept = this.#count;
      });
      this.#retired -= 1;
    });
  }

  /** Deletes a journal whose blobs need it no longer. */
  async #release({ path, file, number, length }: OpenJournal): Promise<void> {
    await file.close();
    // A journal without a flushed record holds no blob that anybody was told of.
    if (length > 0) await flushBlobs([path], this.#data);
    if (length === 0 || number >= this.#kept) await rm(path, { force: true });
  }
}

interface OpenJournal {
  path: string;
  file: FileHandle;
  number: number;
  /** Bytes that are flushed. */
  length: number;
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

/** Makes all blobs of some journals durable, with their names. */
async function flushBlobs(journals: readonly string[], data: string): Promise<void> {
  if (await flushFileSystem(data)) return;
  const folders = new Set([data]);
  for (const journal of journals)
    for (const [id] of records(await readFile(journal))) {
      const folder = join(data, id.slice(0, 3));
      if (await flushFile(join(folder, id))) folders.add(folder);
    }
  for (const folder of folders) await flushDirectory(folder);
}

/**
 * One syncfs(2), which Node does not offer, in place of an fsync for each of thousands of files.
 * @returns false where there is no sync(1), as in images that hold nothing but Node.
 */
async function flushFileSystem(folder: string): Promise<boolean> {
  try {
    await promisify(execFile)('sync', ['-f', folder]);
    return true;
  } catch (cause) {
    // The code of a program that ran is its exit status.
    if (typeof (cause as { code?: unknown }).code === 'string') return false;
    throw new Error(`the file system of ${folder} could not be flushed`, { cause });
  }
}

/** @returns false if the file is gone: its blob was deleted meanwhile. */
async function flushFile(path: string): Promise<boolean> {
  const file = await open(path, 'r').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'ENOENT') throw cause;
  });
  if (!file) return false;
  try {
    await file.datasync();
  } finally {
    await file.close();
  }
  return true;
}
