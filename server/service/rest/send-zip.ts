import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { formatDisposition } from '../../../src/protocol/content-disposition.js';
import { toSafeFileName } from '../../../src/protocol/file-names.js';
import { BlobError } from '../../../src/protocol/errors.js';
import type { Storage } from '../identity/credential.js';
import { collectFiles } from '../storage/files/collect-files.js';
import { zipNames } from '../http/zip/zip-names.js';
import { zipSize, zipStream } from '../http/zip/zip-stream.js';
import type { ZipEntry } from '../http/zip/zip-stream.js';
import type { RouteContext } from './context.js';

/** Files of one archive. Their names are held in memory while it is sent: about 6 MB. */
export const MAX_ZIP_FILES = 20_000;

/** A folder that is sent as an archive. */
export interface ZippedFolder {
  storage: Storage;
  /** Start of the keys. The rest of a key is its name in the archive. */
  prefix: string;
  /** Name of the archive without `.zip`. */
  name: string;
  /** Runs before the first byte, when the archive is known to be possible. */
  beforeStart?: () => Promise<void>;
}

/**
 * Sends all files of a folder as a ZIP archive, without compression, while they are read. The files are those at the start. If one of them is
 * deleted or replaced meanwhile, the connection closes before the announced length, so that the client sees a broken download.
 * @throws `FILE_NOT_FOUND` for an empty folder, `VALIDATION_ERROR` for too many files, `FILE_NOT_SCANNED` or `FILE_INFECTED` if the virus scan
 * forbids one of the files
 */
export async function sendZip(
  { blobs }: Pick<RouteContext, 'blobs'>,
  reply: FastifyReply,
  { storage, prefix, name, beforeStart }: ZippedFolder,
  signal: AbortSignal,
): Promise<FastifyReply> {
  const collected = await collectFiles(blobs, storage, prefix, { max: MAX_ZIP_FILES, signal });
  // The folder itself, which some S3 clients store as an empty object, has no name in the archive.
  const files = collected.filter(({ key }) => key.length > prefix.length);
  if (files.length === 0) throw new BlobError('FILE_NOT_FOUND', 'The folder has no files.');
  const names = zipNames(files.map(({ key }) => key.slice(prefix.length)));
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
