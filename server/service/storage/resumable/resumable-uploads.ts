import { FILE } from '../../../../src/protocol/limits.js';
import type { Credential, Storage } from '../../identity/credential.js';
import { assertMayRepeat } from '../../identity/token-uses.js';
import type { StorageContext } from '../context.js';
import { assertQuota } from '../files/usage.js';
import { abortUpload, findUpload, insertUpload } from '../multipart/multipart-uploads.js';
import type { Body, BodySummary, StoredFile } from '../types.js';
import { resumableExpiry } from '../uploads/credential-checks.js';
import { tooLarge } from '../uploads/hashing-stream.js';
import { claimIdempotencyKey, idempotencyIdOf } from '../uploads/idempotency.js';
import { precheckUpload } from '../uploads/precheck-upload.js';
import { trackUpload } from '../uploads/running-uploads.js';
import { UploadHashes } from '../uploads/upload-hash.js';
import { appendPieces } from './append-pieces.js';
import { finishResumable } from './finish-resumable.js';
import {
  earlierUpload,
  findResumable,
  insertResumable,
  offsetMismatch,
  resumableNotFound,
  uploadFinished,
} from './resumable-rows.js';
import type { AppendOptions, NewResumable, Resumable } from './resumable-rows.js';
import { PieceCutter } from './upload-pieces.js';

/** A request of this process that sends bytes of an upload. */
interface ActiveRequest {
  stop(reason: Error): void;
  done: Promise<unknown>;
}

/**
 * Uploads whose bytes arrive over several requests, after broken connections and restarts, through any replica. The offset is in the database.
 * It moves with the commit of a piece whose bytes are durable.
 */
export class ResumableUploads {
  readonly #hashes = new UploadHashes();
  readonly #activeRequests = new Map<string, ActiveRequest>();
  /** Hashes of complete uploads that are about to be committed. */
  readonly #summaries = new Map<string, Promise<BodySummary>>();

  constructor(private readonly context: StorageContext) {}

  /**
   * Creates an upload. Takes the token's use and the idempotency key. The quota is reserved as bytes arrive, but a length that does not fit
   * now is refused.
   * @returns the new upload, or the earlier one with the same idempotency key. An earlier upload of another route is returned as its file.
   */
  async create(storage: Storage, key: string, options: NewResumable): Promise<Resumable | StoredFile> {
    const { context } = this;
    const { idempotency, credential, length, properties, overwrite } = options;
    const idempotencyId = idempotency ? idempotencyIdOf(storage, idempotency.key) : null;
    if (idempotencyId !== null) await this.#abortExpired(storage, idempotencyId);
    return context.metadata.write(async (query) => {
      const now = context.now();
      const maxSize = Math.min(options.maxSize ?? FILE.maxBytes, FILE.maxBytes);
      if (idempotency && idempotencyId !== null) {
        const earlier = await claimIdempotencyKey(query, idempotencyId, idempotency, credential, now);
        if (earlier !== 'claimed') return earlierUpload(query, idempotencyId, earlier, length);
      }
      const expiresAt = await resumableExpiry(query, credential, now);
      const upload = await insertUpload(query, storage, key, { kind: 'tus', properties, credential, expiresAt }, now);
      if (length > maxSize) throw tooLarge(maxSize);
      await assertQuota(query, storage.accountId, length);
      await precheckUpload(context, query, storage, key, { size: length, conditions: { overwrite } });
      return insertResumable(query, upload, options, { idempotencyId, expiresAt });
    });
  }

  /** Frees the idempotency key of an upload that has expired but was not swept yet. */
  async #abortExpired(storage: Storage, idempotencyId: string): Promise<void> {
    const expired = await this.context.metadata.db
      .selectFrom('resumables')
      .select('id')
      .where('idempotency_id', '=', idempotencyId)
      .where('file_json', 'is', null)
      .where('expires_at', '<=', this.context.now())
      .executeTakeFirst();
    const upload = expired && (await findUpload(this.context, storage, expired.id));
    if (upload) await abortUpload(this.context, upload);
  }

  /** @returns undefined if the upload is unknown, expired or aborted. */
  find(storage: Storage, id: string): Promise<Resumable | undefined> {
    return findResumable(this.context, storage, id);
  }

  /** @returns whether the upload was created with this idempotency key. */
  async isMadeBy(upload: Resumable, key: string): Promise<boolean> {
    const row = await this.context.metadata.db
      .selectFrom('resumables')
      .select('idempotency_id')
      .where('id', '=', upload.id)
      .executeTakeFirst();
    return row !== undefined && row.idempotency_id === idempotencyIdOf(upload, key);
  }

  /** @throws `BLOB_UPLOAD_TOKEN_INVALID` if the credential was revoked, or has expired and did not create the upload. */
  assertValid(upload: Resumable, credential: Credential): Promise<void> {
    const { metadata, now } = this.context;
    return assertMayRepeat(metadata.db, credential, upload.credential.id, now());
  }

  /** Ends a request of this process that still sends bytes, such as one on a dead connection. Its bytes count as far as they arrived. */
  async interrupt(id: string): Promise<void> {
    const active = this.#activeRequests.get(id);
    if (!active) return;
    active.stop(offsetMismatch(undefined));
    await active.done.catch(() => {});
  }

  /**
   * Appends the bytes of a request and commits the file after the last byte. If the body breaks off, the bytes that arrived stay.
   * @throws `UPLOAD_OFFSET_MISMATCH` with `details.offset`, `BLOB_FILE_TOO_LARGE`, and what the commit of a file throws.
   */
  async append(upload: Resumable, body: Body, options: AppendOptions): Promise<Resumable> {
    await this.interrupt(upload.id);
    const hash = this.#hashes.take(upload.id, options.offset);
    const cutter = new PieceCutter(body);
    const appended = appendPieces(this.context, upload, cutter, options, hash).finally(() => {
      cutter.close();
      if (this.#activeRequests.get(upload.id) === active) this.#activeRequests.delete(upload.id);
    });
    const done = trackUpload(this.context, appended);
    const active: ActiveRequest = { stop: (reason) => cutter.stop(reason), done };
    this.#activeRequests.set(upload.id, active);
    const current = await done.catch((cause: unknown) => {
      hash?.hashes.discard();
      throw cause;
    });
    this.#hashes.keep(upload.id, hash, current.offset);
    if (cutter.failure) throw cutter.failure.cause;
    return current.offset === current.length ? this.finish(current, options.credential, options.digest) : current;
  }

  /**
   * Commits the file of a complete upload. Several requests may call it at once; all receive the same file.
   * @param digest SHA-256 in hex that the file must have, in addition to the one stated at the creation.
   */
  async finish(upload: Resumable, credential: Credential, digest?: string): Promise<Resumable> {
    if (upload.file) return upload;
    const parts = await findUpload(this.context, upload, upload.id);
    if (!parts) return this.#findFinished(upload);
    const digests = [upload.digest, digest].filter((stated) => typeof stated === 'string');
    try {
      const file = await finishResumable(this.context, upload, parts, {
        credential,
        digests,
        summary: (read) => this.#summaryOf(upload, read),
      });
      return { ...upload, file };
    } finally {
      this.#summaries.delete(upload.id);
    }
  }

  /** Uses the hash of the last sender, or the hash that another request computes, before it reads all bytes from the store. */
  #summaryOf({ id, length }: Resumable, read: () => Promise<BodySummary>): Promise<BodySummary> {
    const summary = this.#hashes.take(id, length)?.summary() ?? this.#summaries.get(id) ?? read();
    this.#summaries.set(id, summary);
    return summary;
  }

  async #findFinished(upload: Resumable): Promise<Resumable> {
    this.#hashes.discard(upload.id);
    const current = await this.find(upload, upload.id);
    if (!current?.file) throw resumableNotFound();
    return current;
  }

  /**
   * Deletes an unfinished upload and gives the token's use, the quota and the idempotency key back.
   * @throws `FILE_EXISTS` if the upload has finished; its file stays.
   */
  async terminate(upload: Resumable): Promise<void> {
    await this.interrupt(upload.id);
    const parts = await findUpload(this.context, upload, upload.id);
    if (parts) await abortUpload(this.context, parts);
    else if ((await this.find(upload, upload.id))?.file) throw uploadFinished(upload.key);
  }
}
