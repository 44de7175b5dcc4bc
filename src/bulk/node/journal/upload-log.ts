import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { JournalPart, Unfinished } from '../../journal/resume-journal.js';
import { flushDirectory } from './flush-directory.js';

/** One line of the log. `named` records the id of an upload, and has the name of earlier releases. */
export type LogLine =
  | ({ t: 'begin' } & Omit<Unfinished, 'parts' | 'uploadId'>)
  | { t: 'named'; key: string; uploadId: string }
  | ({ t: 'part'; key: string; usedMs?: number } & JournalPart)
  | { t: 'end'; key: string };

/**
 * The unfinished transfers of a journal, in a file of appended JSON lines. It is compacted when it is opened, so that it does not
 * grow over weeks. Its methods throw the errors of the disk.
 */
export class UploadLog {
  readonly #unfinished = new Map<string, Unfinished>();
  readonly #path: string;
  #fd: number | undefined;

  /** Reads the lines of earlier runs. */
  constructor(private readonly folder: string) {
    this.#path = join(folder, 'uploads.jsonl');
    if (!existsSync(this.#path)) return;
    for (const text of readFileSync(this.#path, 'utf8').split('\n')) {
      const line = parseLine(text);
      if (line !== undefined) this.#apply(line);
    }
    this.#compact();
  }

  /** Unfinished transfers by key, those of this run included. */
  get unfinished(): ReadonlyMap<string, Unfinished> {
    return this.#unfinished;
  }

  /** @param isDurable flushes the line to disk before the method returns */
  append(line: LogLine, isDurable: boolean): void {
    this.#fd ??= this.#openForAppend();
    // A line begins with a line break too, so that an incomplete line before it does not damage it.
    writeFileSync(this.#fd, `\n${JSON.stringify(line)}\n`);
    if (isDurable) fsyncSync(this.#fd);
    this.#apply(line);
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }

  /** Deletes the file. Called after `close`. */
  remove(): void {
    rmSync(this.#path, { force: true });
  }

  #openForAppend(): number {
    const isNew = !existsSync(this.#path);
    const fd = openSync(this.#path, 'a', 0o600);
    if (isNew) flushDirectory(dirname(this.#path));
    return fd;
  }

  #apply(line: LogLine): void {
    if (line.t === 'begin') {
      const { t: _, ...file } = line;
      this.#unfinished.set(line.key, { ...file, parts: new Map() });
      return;
    }
    if (line.t === 'end') {
      this.#unfinished.delete(line.key);
      return;
    }
    const file = this.#unfinished.get(line.key);
    if (file === undefined) return;
    if (line.t === 'named') file.uploadId = line.uploadId;
    else {
      file.parts.set(line.number, { number: line.number, etag: line.etag, checksum: line.checksum });
      if (line.usedMs !== undefined) file.usedMs = line.usedMs;
    }
  }

  /** Replaces the file by one that has only the lines of unfinished transfers. */
  #compact(): void {
    const temporary = `${this.#path}.new`;
    try {
      writeDurably(temporary, this.#currentLines());
    } catch {
      // The disk is full. The longer file has the same meaning.
      rmSync(temporary, { force: true });
      return;
    }
    renameSync(temporary, this.#path);
    flushDirectory(this.folder);
  }

  #currentLines(): string {
    const lines: LogLine[] = [];
    for (const { parts, uploadId, ...file } of this.#unfinished.values()) {
      const { key } = file;
      lines.push({ t: 'begin', ...file });
      if (uploadId !== undefined) lines.push({ t: 'named', key, uploadId });
      for (const part of parts.values()) lines.push({ t: 'part', key, ...part });
    }
    return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  }
}

function writeDurably(path: string, text: string): void {
  const fd = openSync(path, 'w', 0o600);
  try {
    writeFileSync(fd, text);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** @returns undefined for an empty or incomplete line */
function parseLine(text: string): LogLine | undefined {
  if (text === '') return undefined;
  try {
    return JSON.parse(text) as LogLine;
  } catch {
    return undefined;
  }
}
