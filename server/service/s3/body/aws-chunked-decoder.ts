import { createHash } from 'node:crypto';
import type { Hash } from 'node:crypto';
import { S3ServiceError } from '../errors.js';

/**
 * Decodes the `aws-chunked` framing of a body. The decoder is a state machine that takes input of any size.
 * Spec: https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming.html and …/sigv4-streaming-trailers.html
 *
 *     hex-size[;chunk-signature=hex]\r\n data \r\n … 0[;chunk-signature=hex]\r\n [name:value\r\n …] \r\n
 */

export interface ChunkSigner {
  /** Computes the signature of the next chunk from its SHA-256. */
  chunk(sha256Hex: string): string;
  /** Computes the signature of the trailer block (`name:value\n` …). Call it last. */
  trailer(block: string): string;
}

export interface AwsChunkedOptions {
  /** Length of the data without framing, in bytes. */
  decodedLength: number;
  /** Omitted if chunks are not signed. */
  signer?: ChunkSigner;
  /** Lower-case names of the expected trailers. Omitted if the body has none. */
  trailers?: readonly string[];
  /** Compares in constant time. */
  equal(a: string, b: string): boolean;
}

const MAX_LINE = 512;
/** More slices of one input are joined. Clients send chunks of 8 KiB or more. */
const MAX_SLICES = 8;
const MAX_TRAILER_BYTES = 8192;
const SIGNATURE = 'x-amz-trailer-signature';
const LF = 10;

type State = 'head' | 'data' | 'data-end' | 'trailer' | 'done';

/**
 * Decodes an `aws-chunked` body and verifies the signatures of its chunks and its trailer.
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming.html
 */
export class AwsChunkedDecoder {
  readonly #options: AwsChunkedOptions;
  readonly #trailers = new Map<string, string>();
  #state: State = 'head';
  #line: Buffer[] = [];
  #lineLength = 0;
  /** Bytes of the current chunk that have not arrived. */
  #remaining = 0;
  #decoded = 0;
  #signature = '';
  #hash: Hash | undefined;
  #trailerLength = 0;

  constructor(options: AwsChunkedOptions) {
    this.#options = options;
  }

  /** The trailers. They are complete and verified after `end`. */
  get trailers(): ReadonlyMap<string, string> {
    return this.#trailers;
  }

  /**
   * Decodes the next input.
   * @returns the data of the input. Do not use it before `end` has returned, because its signature may be wrong.
   * @throws S3ServiceError for malformed framing or a wrong signature.
   */
  push(input: Buffer): Buffer[] {
    const slices: Buffer[] = [];
    let position = 0;
    while (position < input.length) {
      if (this.#state === 'data') {
        const slice = input.subarray(position, position + this.#remaining);
        position += slice.length;
        this.#remaining -= slice.length;
        this.#hash?.update(slice);
        slices.push(slice);
        if (this.#remaining === 0) this.#state = 'data-end';
        continue;
      }
      const newline = input.indexOf(LF, position);
      const end = newline === -1 ? input.length : newline + 1;
      this.#appendToLine(input.subarray(position, end));
      position = end;
      if (newline !== -1) this.#parseLine();
    }
    // A body in chunks of one byte would otherwise become millions of objects.
    return slices.length > MAX_SLICES ? [Buffer.concat(slices)] : slices;
  }

  /** Must be called after the last input. @throws S3ServiceError if the body is incomplete. */
  end(): void {
    if (this.#state === 'trailer' && this.#missesTrailers()) throw new S3ServiceError('MalformedTrailerError');
    if (this.#state !== 'done') throw new S3ServiceError('IncompleteBody', 'The aws-chunked body ended before its last chunk.');
    if (this.#decoded !== this.#options.decodedLength)
      throw new S3ServiceError(
        'IncompleteBody',
        `The body has ${this.#decoded} bytes; x-amz-decoded-content-length states ${this.#options.decodedLength}.`,
      );
  }

  #appendToLine(piece: Buffer): void {
    if (this.#state === 'done')
      throw new S3ServiceError('InvalidRequest', 'The aws-chunked body continues after its last chunk.');
    this.#lineLength += piece.length;
    if (this.#lineLength > (this.#state === 'trailer' ? MAX_TRAILER_BYTES : MAX_LINE))
      throw new S3ServiceError('InvalidRequest', 'A line of the aws-chunked framing is too long.');
    this.#line.push(Buffer.from(piece));
  }

  #parseLine(): void {
    const line = Buffer.concat(this.#line)
      .toString('latin1')
      .replace(/\r?\n$/, '');
    this.#line = [];
    this.#lineLength = 0;
    if (this.#state === 'head') this.#parseChunkHeader(line);
    else if (this.#state === 'data-end') this.#parseChunkEnd(line);
    else this.#parseTrailer(line);
  }

  #parseChunkHeader(line: string): void {
    const match = /^([0-9a-fA-F]{1,10})(?:;chunk-signature=([0-9a-f]{64}))?$/.exec(line);
    if (!match) throw new S3ServiceError('InvalidRequest', 'A chunk header of the aws-chunked body is malformed.');
    if (this.#options.signer && match[2] === undefined)
      throw new S3ServiceError('SignatureDoesNotMatch', 'A chunk is not signed.');
    this.#signature = match[2] ?? '';
    this.#remaining = Number.parseInt(match[1]!, 16);
    this.#decoded += this.#remaining;
    if (this.#decoded > this.#options.decodedLength)
      throw new S3ServiceError(
        'IncompleteBody',
        `The chunks have more than the ${this.#options.decodedLength} bytes of x-amz-decoded-content-length.`,
      );
    this.#hash = this.#options.signer && createHash('sha256');
    if (this.#remaining > 0) {
      this.#state = 'data';
      return;
    }
    this.#verifyChunk();
    this.#state = 'trailer';
  }

  #parseChunkEnd(line: string): void {
    if (line !== '') throw new S3ServiceError('IncompleteBody', 'A chunk is longer than its stated size.');
    this.#verifyChunk();
    this.#state = 'head';
  }

  #verifyChunk(): void {
    const { signer, equal } = this.#options;
    if (!signer || !this.#hash) return;
    if (!equal(signer.chunk(this.#hash.digest('hex')), this.#signature))
      throw new S3ServiceError('SignatureDoesNotMatch', 'The signature of a chunk does not match.');
  }

  #parseTrailer(line: string): void {
    if (line === '') {
      // Some clients send another empty line before the signature of the trailers.
      if (!this.#missesTrailers()) this.#finish();
      return;
    }
    this.#trailerLength += line.length;
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(0, colon)).trim().toLowerCase();
    if (colon === -1 || this.#trailers.has(name) || this.#trailerLength > MAX_TRAILER_BYTES)
      throw new S3ServiceError('MalformedTrailerError');
    this.#trailers.set(name, line.slice(colon + 1).trim());
  }

  #missesTrailers(): boolean {
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
      throw new S3ServiceError('MalformedTrailerError');
    if (signer && this.#options.trailers) {
      const block = [...this.#trailers].map(([name, value]) => `${name}:${value}\n`).join('');
      if (signature === undefined || !equal(signer.trailer(block), signature))
        throw new S3ServiceError('SignatureDoesNotMatch', 'The signature of the trailer does not match.');
    }
    this.#state = 'done';
  }
}
