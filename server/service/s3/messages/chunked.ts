import { createHash } from 'node:crypto';
import type { Hash } from 'node:crypto';
import { S3Error } from '../errors.js';

/**
 * The `aws-chunked` framing of a body, read as a state machine that may be fed in pieces of any size.
 * Spec: https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming.html and …/sigv4-streaming-trailers.html
 *
 *     hex-size[;chunk-signature=hex]\r\n data \r\n … 0[;chunk-signature=hex]\r\n [name:value\r\n …] \r\n
 */

export interface ChunkSigner {
  /** The signature that a chunk with this SHA-256 must have; each call moves the chain on. */
  chunk(sha256Hex: string): string;
  /** The signature of the trailer block (`name:value\n` …), last in the chain. */
  trailer(block: string): string;
}

export interface ChunkedOptions {
  /** Announced length of the data without framing, bytes. */
  decodedLength: number;
  /** Undefined: the chunks are not signed. */
  signer?: ChunkSigner;
  /** Names the trailers must have, lower-case; undefined: there may be none. */
  trailers?: readonly string[];
  /** Compares in constant time. */
  equal(a: string, b: string): boolean;
}

const MAX_LINE = 512;
/** Limit for one input. Clients send chunks of 8 KiB and more. */
const MAX_SLICES = 8;
const MAX_TRAILERS = 8192;
const SIGNATURE = 'x-amz-trailer-signature';
const LF = 10;

type State = 'head' | 'data' | 'data-end' | 'trailer' | 'done';

export class ChunkedDecoder {
  readonly #options: ChunkedOptions;
  readonly #trailers = new Map<string, string>();
  #state: State = 'head';
  #line: Buffer[] = [];
  #lineLength = 0;
  /** Bytes of this chunk that are still to come. */
  #left = 0;
  #decoded = 0;
  #signature = '';
  #hash: Hash | undefined;
  #trailerLength = 0;

  constructor(options: ChunkedOptions) {
    this.#options = options;
  }

  /** Verified trailers; complete after `end`. */
  get trailers(): ReadonlyMap<string, string> {
    return this.#trailers;
  }

  /** @returns the data of the input, copied together where it lies in many small chunks. It is believed only when `end` has returned. @throws S3Error at the first thing that is wrong. */
  push(input: Buffer): Buffer[] {
    const out: Buffer[] = [];
    let at = 0;
    while (at < input.length) {
      if (this.#state === 'data') {
        const slice = input.subarray(at, at + this.#left);
        at += slice.length;
        this.#left -= slice.length;
        this.#hash?.update(slice);
        out.push(slice);
        if (this.#left === 0) this.#state = 'data-end';
        continue;
      }
      const newline = input.indexOf(LF, at);
      const end = newline === -1 ? input.length : newline + 1;
      this.#keep(input.subarray(at, end));
      at = end;
      if (newline !== -1) this.#takeLine();
    }
    // A body of chunks of one byte would be a million objects, each passed on by itself.
    return out.length > MAX_SLICES ? [Buffer.concat(out)] : out;
  }

  /** The body is over. @throws S3Error when the framing is not. */
  end(): void {
    if (this.#state === 'trailer' && this.#awaitsTrailers()) throw new S3Error('MalformedTrailerError');
    if (this.#state !== 'done') throw new S3Error('IncompleteBody', 'The aws-chunked body ended before its last chunk.');
    if (this.#decoded !== this.#options.decodedLength)
      throw new S3Error(
        'IncompleteBody',
        `The body holds ${this.#decoded} bytes, x-amz-decoded-content-length says ${this.#options.decodedLength}.`,
      );
  }

  #keep(piece: Buffer): void {
    if (this.#state === 'done') throw new S3Error('InvalidRequest', 'There are bytes after the end of the aws-chunked body.');
    this.#lineLength += piece.length;
    if (this.#lineLength > (this.#state === 'trailer' ? MAX_TRAILERS : MAX_LINE))
      throw new S3Error('InvalidRequest', 'A line of the aws-chunked framing is too long.');
    this.#line.push(Buffer.from(piece));
  }

  #takeLine(): void {
    const line = Buffer.concat(this.#line)
      .toString('latin1')
      .replace(/\r?\n$/, '');
    this.#line = [];
    this.#lineLength = 0;
    if (this.#state === 'head') this.#takeHead(line);
    else if (this.#state === 'data-end') this.#takeDataEnd(line);
    else this.#takeTrailer(line);
  }

  #takeHead(line: string): void {
    const match = /^([0-9a-fA-F]{1,10})(?:;chunk-signature=([0-9a-f]{64}))?$/.exec(line);
    if (!match) throw new S3Error('InvalidRequest', 'A chunk header of the aws-chunked body is malformed.');
    if (this.#options.signer && match[2] === undefined) throw new S3Error('SignatureDoesNotMatch', 'A chunk is not signed.');
    this.#signature = match[2] ?? '';
    this.#left = Number.parseInt(match[1]!, 16);
    this.#decoded += this.#left;
    if (this.#decoded > this.#options.decodedLength)
      throw new S3Error(
        'IncompleteBody',
        `The chunks hold more than the ${this.#options.decodedLength} bytes of x-amz-decoded-content-length.`,
      );
    this.#hash = this.#options.signer && createHash('sha256');
    if (this.#left > 0) {
      this.#state = 'data';
      return;
    }
    this.#verifyChunk();
    this.#state = 'trailer';
  }

  #takeDataEnd(line: string): void {
    if (line !== '') throw new S3Error('IncompleteBody', 'A chunk is longer than its size says.');
    this.#verifyChunk();
    this.#state = 'head';
  }

  #verifyChunk(): void {
    const { signer, equal } = this.#options;
    if (!signer || !this.#hash) return;
    if (!equal(signer.chunk(this.#hash.digest('hex')), this.#signature))
      throw new S3Error('SignatureDoesNotMatch', 'The signature of a chunk does not match.');
  }

  #takeTrailer(line: string): void {
    if (line === '') {
      // Some clients end the trailers with an empty line of their own before the signature of the block.
      if (!this.#awaitsTrailers()) this.#finish();
      return;
    }
    this.#trailerLength += line.length;
    const at = line.indexOf(':');
    const name = line.slice(0, Math.max(0, at)).trim().toLowerCase();
    if (at === -1 || this.#trailers.has(name) || this.#trailerLength > MAX_TRAILERS) throw new S3Error('MalformedTrailerError');
    this.#trailers.set(name, line.slice(at + 1).trim());
  }

  #awaitsTrailers(): boolean {
    const { trailers, signer } = this.#options;
    if (!trailers) return false;
    return trailers.some((name) => !this.#trailers.has(name)) || (signer !== undefined && !this.#trailers.has(SIGNATURE));
  }

  #finish(): void {
    const { signer, trailers = [], equal } = this.#options;
    const signature = this.#trailers.get(SIGNATURE);
    this.#trailers.delete(SIGNATURE);
    const names = [...this.#trailers.keys()];
    if (names.length !== trailers.length || names.some((name) => !trailers.includes(name)))
      throw new S3Error('MalformedTrailerError');
    if (signer && this.#options.trailers) {
      const block = [...this.#trailers].map(([name, value]) => `${name}:${value}\n`).join('');
      if (signature === undefined || !equal(signer.trailer(block), signature))
        throw new S3Error('SignatureDoesNotMatch', 'The signature of the trailer does not match.');
    }
    this.#state = 'done';
  }
}
