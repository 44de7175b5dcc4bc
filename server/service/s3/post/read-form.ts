import busboy from 'busboy';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { S3ServiceError } from '../errors.js';

/** A browser's upload form. The file is still being received. */
export interface PostForm {
  /** The fields before the file, by lower-case name. */
  fields: ReadonlyMap<string, string>;
  fileName: string;
  contentType: string | undefined;
  file: AsyncIterable<Uint8Array>;
}

/** S3's limit for the names and values of all fields before the file, in bytes. */
const MAX_FIELDS = 20 * 1024;

const malformed = (cause?: unknown) => new S3ServiceError('MalformedPOSTRequest', undefined, { cause });

/**
 * Reads a `multipart/form-data` body up to its file. Fields after the file are ignored.
 * @throws S3ServiceError `MalformedPOSTRequest`, `InvalidArgument` when there is no file, `MaxPostPreDataLengthExceededError`.
 */
export async function readForm(contentType: string, body: AsyncIterable<Buffer>): Promise<PostForm> {
  const parser = createParser(contentType);
  return new Promise((resolve, reject) => {
    let hasFile = false;
    const fail = (error: unknown) => {
      reject(error instanceof S3ServiceError ? error : malformed(error));
      parser.destroy();
    };
    const fields = collectFields(parser, () => hasFile, fail);
    parser.on('file', (name: string | undefined, stream, info) => {
      // The part fails with the form, perhaps before it has a reader. An unhandled error would end the process.
      stream.on('error', () => {});
      if (name?.toLowerCase() !== 'file' || info.filename?.includes('\0')) {
        stream.resume();
        fail(malformed());
        return;
      }
      hasFile = true;
      // If the body ends inside the file, the file must fail, or half of it would be stored.
      parser.once('error', (error: Error) => stream.destroy(error));
      resolve({
        fields: new Map(fields),
        fileName: info.filename ?? '',
        contentType: fields.get('content-type'),
        file: fileBytes(stream),
      });
    });
    parser.on('error', fail);
    parser.on('close', () => reject(new S3ServiceError('InvalidArgument', 'POST requires exactly one file upload per request.')));
    // With `pipe`, an exception inside the parser would end the process.
    pipeline(body, parser).catch(fail);
  });
}

/** @throws S3ServiceError `MalformedPOSTRequest` for a content type without a boundary. */
function createParser(contentType: string): busboy.Busboy {
  try {
    return busboy({
      headers: { 'content-type': contentType },
      defParamCharset: 'utf8',
      limits: { files: 1, fields: 100, fieldNameSize: 256, fieldSize: MAX_FIELDS },
    });
  } catch (cause) {
    throw malformed(cause);
  }
}

/**
 * Collects the fields before the file.
 * @param hasFile whether the file has begun. @param fail receives the error of an invalid field.
 * @returns the fields by lower-case name, which are complete when the file begins.
 */
function collectFields(
  parser: busboy.Busboy,
  hasFile: () => boolean,
  fail: (error: unknown) => void,
): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  let bytes = 0;
  // Contrary to busboy's types, the name is undefined without a name, and the value for an unknown charset.
  parser.on('field', (name: string | undefined, value: string | undefined, info) => {
    if (hasFile()) return;
    if (name === undefined || value === undefined) {
      fail(malformed());
      return;
    }
    bytes += Buffer.byteLength(name) + Buffer.byteLength(value);
    if (info.nameTruncated || info.valueTruncated || bytes > MAX_FIELDS)
      fail(new S3ServiceError('MaxPostPreDataLengthExceededError'));
    // Databases cannot store NUL.
    else if (value.includes('\0')) fail(malformed());
    else if (fields.has(name.toLowerCase()))
      fail(new S3ServiceError('InvalidArgument', `POST requires exactly one ${name} field.`));
    else fields.set(name.toLowerCase(), value);
  });
  parser.on('fieldsLimit', () => {
    if (!hasFile()) fail(new S3ServiceError('MaxPostPreDataLengthExceededError'));
  });
  return fields;
}

/** Converts the parser's error for a form that ends early. @throws S3ServiceError `MalformedPOSTRequest` */
async function* fileBytes(file: Readable): AsyncGenerator<Uint8Array> {
  try {
    yield* file;
  } catch (cause) {
    throw new S3ServiceError('MalformedPOSTRequest', undefined, { cause });
  }
}
