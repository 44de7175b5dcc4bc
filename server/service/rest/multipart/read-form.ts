import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import busboy from 'busboy';
import { BlobError, validationError } from '../../../../src/protocol/errors.js';

/** The file part of a form and the text fields before it. The file is still being received. */
export interface FormFile {
  fields: Record<string, string>;
  name: string;
  contentType: string;
  body: Readable;
  /** Waits for the end of the form. Await it before a commit. @throws `VALIDATION_ERROR` for a part after the file. */
  end(): Promise<void>;
}

const LIMITS = { fields: 20, fieldNameSize: 100, fieldSize: 16 * 1024, parts: 30, headerPairs: 50 };

/**
 * Reads a `multipart/form-data` body: text fields, then one part `file`.
 * @param receive gets the file while it is received.
 * @throws `VALIDATION_ERROR`, `NO_FILE_UPLOADED`, and the errors of `receive`.
 */
export async function readForm<T>(
  request: IncomingMessage,
  bytes: AsyncIterable<Uint8Array>,
  receive: (file: FormFile) => Promise<T>,
): Promise<T> {
  const parser = createParser(request);
  // Errors are handled by `ended` below. An unhandled error event would end the process.
  parser.on('error', () => {});
  let received: Promise<T> | undefined;
  let fail: (cause: Error) => void = () => {};
  const failed = new Promise<never>((_, reject) => (fail = reject));
  failed.catch(() => {});
  const fields = collectFields(parser, () => received !== undefined, fail);
  parser.on('file', (name, body, info) => {
    // The part fails with the form, perhaps before it has a reader. An unhandled error would end the process.
    body.on('error', () => {});
    if (name !== 'file' || received) {
      body.resume();
      fail(
        validationError(
          name,
          name === 'file' ? 'must appear only once' : 'is not a field of this request; send the file as "file"',
        ),
      );
      return;
    }
    // `failed` is first, so that its error wins if both are settled.
    const end = () => Promise.race([failed, ended]);
    received = (async () => receive({ fields, name: info.filename ?? '', contentType: info.mimeType, body, end }))();
    received.catch(fail);
  });
  const ended = parseAll(bytes, parser);
  try {
    await Promise.race([failed, ended]);
  } catch (cause) {
    parser.destroy();
    await received?.catch(() => {});
    throw cause;
  }
  if (!received) throw new BlobError('NO_FILE_UPLOADED', 'The form must contain a part "file".');
  return received;
}

/** @throws `VALIDATION_ERROR` for a content type without a boundary. */
function createParser({ headers }: IncomingMessage): busboy.Busboy {
  try {
    // Browsers send file names in UTF-8, whatever the header states. With `preservePath`, unsafe names are validated instead of shortened.
    return busboy({ headers, defParamCharset: 'utf8', preservePath: true, limits: LIMITS });
  } catch (cause) {
    throw validationError('content-type', 'must be valid multipart/form-data', { cause });
  }
}

/**
 * Collects the text fields of a form.
 * @param hasFile whether the file part has begun. No field may follow it.
 * @param fail receives the error of an invalid field.
 * @returns the fields, which are complete when the file part begins.
 */
function collectFields(parser: busboy.Busboy, hasFile: () => boolean, fail: (cause: Error) => void): Record<string, string> {
  const fields: Record<string, string> = Object.create(null) as Record<string, string>;
  // Contrary to busboy's types, the name is undefined without a name, and the value for an unknown charset.
  parser.on('field', (name: string | undefined, value: string | undefined, { valueTruncated }) => {
    if (name === undefined || value === undefined)
      fail(validationError('body', 'must not contain a field without a name or in an unknown charset'));
    else if (hasFile()) fail(validationError(name, 'must come before the file'));
    else if (valueTruncated) fail(validationError(name, `must have at most ${LIMITS.fieldSize} bytes`));
    else if (name in fields) fail(validationError(name, 'must appear only once'));
    else fields[name] = value;
  });
  parser.on('fieldsLimit', () => fail(validationError('body', `must have at most ${LIMITS.fields} fields`)));
  parser.on('partsLimit', () => fail(validationError('body', `must have at most ${LIMITS.parts} parts`)));
  return fields;
}

/** Passes the whole body to the parser. @throws `VALIDATION_ERROR` if the body is not a form, or the error of the body. */
async function parseAll(bytes: AsyncIterable<Uint8Array>, parser: busboy.Busboy): Promise<void> {
  await pipeline(bytes, parser).catch((cause: Error) => {
    // BlobErrors: the client disconnected or is too slow.
    if (cause instanceof BlobError) throw cause;
    throw validationError('body', `must be a valid form: ${cause.message}`, { cause });
  });
}
