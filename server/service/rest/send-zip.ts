import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { formatDisposition } from '../../../src/protocol/content-disposition.js';
import { toSafeFileName } from '../../../src/protocol/file-names.js';
import { BlobError } from '../../../src/protocol/errors.js';
import { baseName } from '../../../src/protocol/paths.js';
import type { Storage } from '../identity/credential.js';
import { collectFiles, tooManyFiles } from '../storage/files/collect-files.js';
import type { CollectedFile } from '../storage/files/collect-files.js';
import { zipNames } from '../http/zip/zip-names.js';
import { zipSize, zipStream } from '../http/zip/zip-stream.js';
import type { ZipEntry } from '../http/zip/zip-stream.js';
import type { RouteContext } from './context.js';

/** Files of one archive. Their names are held in memory while it is sent: about 6 MB. */
export const MAX_ZIP_FILES = 20_000;

/** A file, or all files whose keys begin with a prefix. The rest of a key is its name in `folder` of the archive. */
export type ZipPart = { id: string } | { prefix: string; folder: string };

/** Files that are sent as an archive. */
export interface ZippedFiles {
  storage: Storage;
  parts: readonly ZipPart[];
  /** Name of the archive without `.zip`. */
  name: string;
  /** Runs before the first byte, when the archive is known to be possible. */
  beforeStart?: () => Promise<void>;
}

/**
 * Sends files and folders as a ZIP archive, without compression, while they are read. The files are those at the start. If one of them is
 * deleted or replaced meanwhile, the connection closes before the announced length, so that the client sees a broken download.
 * @throws `FILE_NOT_FOUND` for an unknown id or if there are no files, `VALIDATION_ERROR` for too many files, `FILE_NOT_SCANNED` or `FILE_INFECTED` if the virus scan
 * forbids one of the files
 */
export async function sendZip(
  { blobs }: Pick<RouteContext, 'blobs'>,
  reply: FastifyReply,
  { storage, parts, name, beforeStart }: ZippedFiles,
  signal: AbortSignal,
): Promise<FastifyReply> {
  const collected = await collectParts(blobs, storage, parts, signal);
  const files = collected.map(({ file }) => file);
  if (files.length === 0) throw new BlobError('FILE_NOT_FOUND', 'The folder has no files.');
  const names = zipNames(collected.map(({ path }) => path));
  for (const [index, file] of files.entries()) blobs.assertDeliverable(file, names[index]);
  const entries = files.map(({ id, size, etag, updatedAt }, index): ZipEntry => ({
    name: names[index]!,
    size,
    modifiedAt: updatedAt,
    read: async () => {
      const opened = await blobs.openById(storage, id);
      if (opened?.file.etag !== etag || opened.file.size !== size)
        throw new Error('A file was deleted or replaced while its archive was sent.');
      return size === 0 ? Readable.from([]) : opened.read({ start: 0, end: size - 1 }, signal);
    },
  }));
  await beforeStart?.();
  reply.request.servedAccount = storage.accountId;
  reply
    .header('Content-Type', 'application/zip')
    .header('Content-Length', String(zipSize(entries)))
    .header('Content-Disposition', formatDisposition('attachment', toSafeFileName(`${name}.zip`)))
    .header('Cache-Control', 'no-store')
    .header('X-Content-Type-Options', 'nosniff');
  return reply.send(Readable.from(zipStream(entries), { objectMode: false, signal }));
}

/** A file and its path in the archive, before `zipNames` makes it safe. */
interface CollectedPart {
  file: CollectedFile;
  path: string;
}

async function collectParts(
  blobs: RouteContext['blobs'],
  storage: Storage,
  parts: readonly ZipPart[],
  signal: AbortSignal,
): Promise<CollectedPart[]> {
  const collected: CollectedPart[] = [];
  for (const part of parts) {
    signal.throwIfAborted();
    if ('id' in part) {
      const file = await blobs.getById(storage, part.id);
      if (!file) throw new BlobError('FILE_NOT_FOUND', `There is no file ${part.id}.`, { details: { id: part.id } });
      collected.push({ file, path: baseName(file.key) });
    } else {
      const { prefix, folder } = part;
      for (const file of await collectFiles(blobs, storage, prefix, { max: MAX_ZIP_FILES, signal }))
        // The folder itself, which some S3 clients store as an empty object, has no name in the archive.
        if (file.key.length > prefix.length) collected.push({ file, path: folder + file.key.slice(prefix.length) });
    }
    if (collected.length > MAX_ZIP_FILES) throw tooManyFiles(MAX_ZIP_FILES);
  }
  return collected;
}
