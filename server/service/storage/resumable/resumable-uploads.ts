// Long because creating, appending, finishing and ending share the writers and hashes of the uploads that run in this process.
import { BlobError } from '../../../../src/protocol/errors.js';
import { FILE } from '../../../../src/protocol/limits.js';
import { randomText } from '../../runtime/ids.js';
import { completeUpload } from '../multipart/complete-upload.js';
import type { StorageContext } from '../context.js';
import { precheckUpload } from '../uploads/precheck-upload.js';
import { tooLarge } from '../uploads/hashing-stream.js';
import { putPart } from '../multipart/parts.js';
import { assertPiecesLeft, nextPieceSize, PieceCutter, pieceSize } from './upload-pieces.js';
import {
  digestMismatch,
  earlierUpload,
  endResumable,
  uploadFinished,
  resumableNotFound,
  insertResumable,
  moveOffset,
  offsetMismatch,
  toResumable,
} from './resumable-rows.js';
import type { AppendOptions, NewResumable, Resumable } from './resumable-rows.js';
import type { Body, BodySummary, StoredFile, Upload } from '../types.js';
import { trackUpload } from '../uploads/running-uploads.js';
import { abortUpload, findUpload, insertUpload, lockUpload } from '../multipart/multipart-uploads.js';
import { assertQuota } from '../files/usage.js';
import { UploadHashes } from '../uploads/upload-hash.js';
import type { UploadHash } from '../uploads/upload-hash.js';
import { assertMayRepeat } from '../../identity/token-uses.js';
import { assertNotRevoked } from '../../identity/revocation.js';
import { resumableExpiry } from '../uploads/credential-checks.js';
import type { Credential, Storage } from '../../identity/credential.js';
import { claimIdempotencyKey, idempotencyId } from '../uploads/idempotency.js';

/** A request of this process that sends bytes of an upload. */
interface Writing {
  stop(why: Error): void;
  done: Promise<unknown>;
}

/**
 * Uploads whose bytes arrive over several requests, after breaks, restarts, through any replica. The offset stands in the database and moves
 * with the commit of a piece whose bytes are durable.
 */
export class ResumableUploads {
  readonly #hashes = new UploadHashes();
  readonly #writing = new Map<string, Writing>();
  /** Hashes of whole uploads that are about to end. */
  readonly #reading = new Map<string, Promise<BodySummary>>();

  constructor(private readonly context: StorageContext) {}

  /**
   * Takes a use and the idempotency key. The storage is taken by the bytes as they arrive; a length that does not fit now is refused.
   * @returns what an earlier creation under the same idempotency key made, or the new upload; an upload of another route as its file alone.
   */
  async create(storage: Storage, key: string, options: NewResumable): Promise<Resumable | StoredFile> {
    const { context } = this;
    if (options.idempotency) await this.#abortExpired(storage, idempotencyId(storage, options.idempotency.key));
    return context.metadata.write(async (query) => {
      const now = context.now();
      const { idempotency, credential, length } = options;
      const maxSize = Math.min(options.maxSize ?? FILE.maxBytes, FILE.maxBytes);
      const claim = idempotency ? idempotencyId(storage, idempotency.key) : null;
      if (idempotency && claim !== null) {
        const earlier = await claimIdempotencyKey(query, claim, idempotency, credential, now);
        if (earlier !== 'claimed') return earlierUpload(query, claim, earlier, length);
      }
      const expiresAt = await resumableExpiry(query, credential, now);
      const { properties } = options;
      const upload = await insertUpload(query, storage, key, { kind: 'tus', properties, credential, expiresAt }, now);
      if (length > maxSize) throw tooLarge(maxSize);
      await assertQuota(query, storage.accountId, length);
      await precheckUpload(context, query, storage, key, { size: length, conditions: { overwrite: options.overwrite } });
      return insertResumable(query, upload, options, { claim, expiresAt });
    });
  }

  /** Frees the idempotency key of an upload that has expired and that no sweep has met yet. */
  async #abortExpired(storage: Storage, claim: string): Promise<void> {
    const expired = await this.context.metadata.db
      .selectFrom('resumables')
      .select('id')
      .where('idempotency_id', '=', claim)
      .where('file_json', 'is', null)
      .where('expires_at', '<=', this.context.now())
      .executeTakeFirst();
    const upload = expired && (await findUpload(this.context, storage, expired.id));
    if (upload) await abortUpload(this.context, upload);
  }

  /** @returns undefined when it is unknown, expired or aborted; a complete one is finished first. */
  async find(storage: Storage, id: string): Promise<Resumable | undefined> {
    const row = await this.context.metadata.db
      .selectFrom('resumables')
      .selectAll()
      .where('bucket_id', '=', storage.bucketId)
      .where('id', '=', id)
      .where('expires_at', '>', this.context.now())
      .executeTakeFirst();
    // The client may delete its own copy once it has the response.
    if (row?.file_json != null) await this.context.metadata.flushed();
    return row && toResumable(row);
  }

  /** Whether this idempotency key made the upload. */
  async isMadeBy(upload: Resumable, key: string): Promise<boolean> {
    const row = await this.context.metadata.db
      .selectFrom('resumables')
      .select('idempotency_id')
      .where('id', '=', upload.id)
      .executeTakeFirst();
    return row !== undefined && row.idempotency_id === idempotencyId(upload, key);
  }

  /** @throws `BLOB_UPLOAD_TOKEN_INVALID` when a credential may not go on: revoked, or expired and not the maker. */
  assertValid(upload: Resumable, credential: Credential): Promise<void> {
    const { metadata, now } = this.context;
    return assertMayRepeat(metadata.db, credential, upload.credential.id, now());
  }

  /** Ends a request of this process that still sends bytes (its connection may hang), so that what it brought is counted. */
  async interrupt(id: string): Promise<void> {
    const writing = this.#writing.get(id);
    if (!writing) return;
    writing.stop(offsetMismatch(undefined));
    await writing.done.catch(() => {});
  }

  /**
   * Stores bytes at the end of what is there, piece by piece; the last one makes the file. A body that breaks keeps what arrived.
   * @throws `UPLOAD_OFFSET_MISMATCH` with `details.offset`, `BLOB_FILE_TOO_LARGE`, what the commit of a file throws.
   */
  async append(upload: Resumable, body: Body, options: AppendOptions): Promise<Resumable> {
    await this.interrupt(upload.id);
    const hash = this.#hashes.take(upload.id, options.offset);
    const cutter = new PieceCutter(body);
    const appended = this.#append(upload, cutter, options, hash).finally(() => {
      cutter.close();
      if (this.#writing.get(upload.id) === writing) this.#writing.delete(upload.id);
    });
    const work = trackUpload(this.context, appended);
    const writing: Writing = { stop: (why) => cutter.stop(why), done: work };
    this.#writing.set(upload.id, writing);
    const now = await work.catch((cause: unknown) => {
      hash?.hashes.discard();
      throw cause;
    });
    this.#hashes.keep(upload.id, hash, now.offset);
    if (cutter.failure) throw cutter.failure.cause;
    return now.offset === now.length ? this.finish(now, options.credential, options.digest) : now;
  }

  async #append(
    upload: Resumable,
    cutter: PieceCutter,
    { credential, offset, checksum }: AppendOptions,
    hash: UploadHash | undefined,
  ): Promise<Resumable> {
    const { context } = this;
    const writer = randomText(26);
    const startedAt = context.now();
    let { number, running, expiresAt } = await this.#claim(upload, { credential, offset, writer });
    let stored = offset;
    const least = pieceSize(upload.length);
    let step = least;
    while (stored < upload.length && (await cutter.hasMore())) {
      const left = upload.length - stored;
      const size = checksum ? left : Math.min(left, step);
      const began = performance.now();
      const before = stored;
      number += 1;
      const part = await putPart(
        context,
        running,
        number,
        cutter.piece(size, size === left),
        {
          credential,
          ...(checksum && { hashers: { sum: checksum.hasher } }),
          check: (facts: BodySummary) => {
            // A body that broke cannot be held against a digest of all of it.
            if (checksum && cutter.failure) throw cutter.failure.cause;
            checksum?.check(facts.checksums['sum']!);
          },
        },
        {
          startedAt,
          size,
          hash,
          commit: async (query, bytes) => {
            expiresAt = Math.max(expiresAt, await resumableExpiry(query, credential, context.now()));
            const step = { writer, number, from: before, to: before + bytes, expiresAt };
            await moveOffset(query, upload.id, step, context.now());
          },
        },
      );
      stored += part.size;
      step = nextPieceSize(step, performance.now() - began, least);
    }
    // An empty last request finds out here that there is too much.
    if (stored === upload.length && !cutter.failure && (await cutter.hasMore()))
      throw new BlobError('BLOB_FILE_TOO_LARGE', 'There are more bytes than Upload-Length announced.');
    return { ...upload, offset: stored, expiresAt };
  }

  /**
   * Makes this request the one that may move the offset, and keeps the upload for as long as its sender may continue it.
   * @throws `UPLOAD_OFFSET_MISMATCH`, `STORAGE_FULL` when the rest of the upload does not fit into the quota now.
   */
  async #claim(
    upload: Resumable,
    { credential, offset, writer }: { credential: Credential; offset: number; writer: string },
  ): Promise<{ number: number; running: Upload; expiresAt: number }> {
    const { context } = this;
    const claim = await context.metadata.write(
      async (query) => {
        if (!(await lockUpload(context, query, upload.id))) return undefined;
        const expires_at = Math.max(upload.expiresAt, await resumableExpiry(query, credential, context.now()));
        const claimed = await query
          .updateTable('resumables')
          .set({ writer, expires_at })
          .where('id', '=', upload.id)
          .where('stored', '=', offset)
          .where('file_json', 'is', null)
          .returning('pieces')
          .executeTakeFirst();
        if (!claimed) return undefined;
        if (offset < upload.length) assertPiecesLeft(claimed.pieces, offset);
        await query.updateTable('uploads').set({ expires_at }).where('id', '=', upload.id).execute();
        if (offset < upload.length) await assertQuota(query, upload.accountId, upload.length - offset);
        return { number: claimed.pieces, expiresAt: expires_at };
      },
      { durable: false },
    );
    const running = await findUpload(context, upload, upload.id);
    if (claim && running) return { ...claim, running };
    const now = await this.find(upload, upload.id);
    if (!now) throw resumableNotFound();
    throw offsetMismatch(now.offset);
  }

  /** Makes the file of an upload whose bytes are all there, for whoever asks. Right also when another request does it, or has done it. */
  async finish(upload: Resumable, credential: Credential, digest: string | undefined = undefined): Promise<Resumable> {
    const { context } = this;
    if (upload.file) return upload;
    const running = await findUpload(context, upload, upload.id);
    if (!running) return this.#finished(upload);
    const wanted = [upload.digest, digest].filter((one) => typeof one === 'string');
    try {
      const { file } = await completeUpload(
        context,
        running,
        {
          credential,
          overwrite: upload.overwrite,
          check: ({ sha256 }) => {
            for (const expected of wanted) if (expected !== sha256) throw digestMismatch(expected, sha256);
          },
        },
        {
          summary: (read) => this.#factsOf(upload, read),
          commit: (query, done) => endResumable(query, upload.id, done, context.now()),
        },
      );
      return { ...upload, file };
    } catch (cause) {
      const now = await this.find(upload, upload.id);
      if (now?.file) return now;
      if (await this.#isForEver(cause, upload)) await abortUpload(context, running);
      throw cause;
    } finally {
      this.#reading.delete(upload.id);
    }
  }

  /** Whether what refused the file refuses it whoever asks: then use, storage and idempotency key are free again. */
  async #isForEver(cause: unknown, { credential }: Resumable): Promise<boolean> {
    const { status = 500, code } = cause as Partial<BlobError>;
    if (status !== 401 && code !== 'API_KEY_SCOPE_DENIED') return status >= 400 && status < 500;
    // Of who asks, another may be allowed; of the maker that was revoked, nobody.
    return assertNotRevoked(this.context.metadata.db, credential).then(
      () => false,
      (why: Partial<BlobError>) => why.status === 401,
    );
  }

  /** Many ask for an upload that has no file yet: what one of them reads serves all, if the hash of who sent it is not ready. */
  #factsOf({ id, length }: Resumable, read: () => Promise<BodySummary>): Promise<BodySummary> {
    const facts = this.#hashes.take(id, length)?.summary() ?? this.#reading.get(id) ?? read();
    this.#reading.set(id, facts);
    return facts;
  }

  async #finished(upload: Resumable): Promise<Resumable> {
    this.#hashes.discard(upload.id);
    const now = await this.find(upload, upload.id);
    if (!now?.file) throw resumableNotFound();
    return now;
  }

  /** Deletes the pieces; the use, the storage and the idempotency key are free again. A finished one stays. */
  async terminate(upload: Resumable): Promise<void> {
    await this.interrupt(upload.id);
    const running = await findUpload(this.context, upload, upload.id);
    if (running) await abortUpload(this.context, running);
    else if ((await this.find(upload, upload.id))?.file) throw uploadFinished(upload.key);
  }
}
