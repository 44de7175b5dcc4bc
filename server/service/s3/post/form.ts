import busboy from 'busboy';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { S3Error } from '../errors.js';

/** A browser's form as it is read: the fields that stood before the file, and the file's bytes on their way. */
export interface PostForm {
  /** By lower-case name. */
  fields: ReadonlyMap<string, string>;
  fileName: string;
  contentType: string | undefined;
  file: AsyncIterable<Uint8Array>;
}

/** S3's bound for all that stands before the file. Bytes. */
const MAX_FIELDS = 20 * 1024;

/**
 * Reads a `multipart/form-data` body up to its file, which must be the last part that counts.
 * @throws S3Error `MalformedPOSTRequest`, `InvalidArgument` when there is no file, `MaxPostPreDataLengthExceededError`.
 */
export function readForm(contentType: string, body: AsyncIterable<Buffer>): Promise<PostForm> {
  return new Promise((resolve, reject) => {
    const fields = new Map<string, string>();
    let bytes = 0;
    const malformed = (cause?: unknown) => new S3Error('MalformedPOSTRequest', undefined, { cause });
    let parser: busboy.Busboy;
    try {
      parser = busboy({
        headers: { 'content-type': contentType },
        defParamCharset: 'utf8',
        limits: { files: 1, fields: 100, fieldNameSize: 256, fieldSize: MAX_FIELDS },
      });
    } catch (cause) {
      reject(malformed(cause));
      return;
    }
    let hasFile = false;
    const fail = (error: unknown) => {
      reject(error instanceof S3Error ? error : malformed(error));
      parser.destroy();
    };
    // The types do not say so: a part without a name has none here, and a value in an unknown charset is missing.
    parser.on('field', (name: string | undefined, value: string | undefined, info) => {
      // Fields after the file do not count.
      if (hasFile) return;
      if (name === undefined || value === undefined) {
        fail(malformed());
        return;
      }
      bytes += Buffer.byteLength(name) + Buffer.byteLength(value);
      if (info.nameTruncated || info.valueTruncated || bytes > MAX_FIELDS) fail(new S3Error('MaxPostPreDataLengthExceededError'));
      // No database keeps it.
      else if (value.includes('\0')) fail(malformed());
      else if (fields.has(name.toLowerCase())) fail(new S3Error('InvalidArgument', `POST requires exactly one ${name} field.`));
      else fields.set(name.toLowerCase(), value);
    });
    parser.on('file', (name: string | undefined, stream, info) => {
      // A form that breaks off breaks its part too, perhaps before anybody reads it: unheard, that would end the process.
      stream.on('error', () => {});
      if (name?.toLowerCase() !== 'file' || info.filename?.includes('\0')) {
        stream.resume();
        fail(malformed());
        return;
      }
      hasFile = true;
      // A body cut off inside the file must fail the file, or half of it would be stored.
      parser.once('error', (error: Error) => stream.destroy(error));
      resolve({
        fields: new Map(fields),
        fileName: info.filename ?? '',
        contentType: fields.get('content-type'),
        file: whole(stream),
      });
    });
    parser.on('fieldsLimit', () => {
      if (!hasFile) fail(new S3Error('MaxPostPreDataLengthExceededError'));
    });
    parser.on('error', fail);
    parser.on('close', () => reject(new S3Error('InvalidArgument', 'POST requires exactly one file upload per request.')));
    // Not `pipe`: an exception while the parser takes a chunk would end the process.
    pipeline(body, parser).catch(fail);
  });
}

/** What the parser says of a form that ends too early, in S3's words. */
async function* whole(file: Readable): AsyncGenerator<Uint8Array> {
  try {
    yield* file;
  } catch (cause) {
    throw new S3Error('MalformedPOSTRequest', undefined, { cause });
  }
}
