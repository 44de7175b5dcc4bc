import busboy from 'busboy';
import { Readable } from 'node:stream';
import { S3Error } from './errors.js';

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
    const source = Readable.from(body, { objectMode: false });
    const fail = (error: unknown) => {
      source.unpipe(parser);
      reject(error instanceof S3Error ? error : malformed(error));
    };
    parser.on('field', (name, value, info) => {
      bytes += Buffer.byteLength(name) + Buffer.byteLength(value);
      if (info.nameTruncated || info.valueTruncated || bytes > MAX_FIELDS) fail(new S3Error('MaxPostPreDataLengthExceededError'));
      // No database keeps it.
      else if (value.includes('\0')) fail(malformed());
      else if (fields.has(name.toLowerCase())) fail(new S3Error('InvalidArgument', `POST requires exactly one ${name} field.`));
      else fields.set(name.toLowerCase(), value);
    });
    parser.on('file', (name, stream, info) => {
      // A form that breaks off breaks its part too, perhaps before anybody reads it: unheard, that would end the process.
      stream.on('error', () => {});
      if (name.toLowerCase() !== 'file' || info.filename?.includes('\0')) {
        stream.resume();
        fail(malformed());
        return;
      }
      // A body cut off inside the file must fail the file, or half of it would be stored.
      parser.once('error', (error: Error) => stream.destroy(error));
      source.once('error', (error) => stream.destroy(error));
      resolve({
        fields: new Map(fields),
        fileName: info.filename ?? '',
        contentType: fields.get('content-type'),
        file: whole(stream),
      });
    });
    parser.on('fieldsLimit', () => fail(new S3Error('MaxPostPreDataLengthExceededError')));
    parser.on('error', fail);
    parser.on('close', () => reject(new S3Error('InvalidArgument', 'POST requires exactly one file upload per request.')));
    source.once('error', fail);
    source.pipe(parser);
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
