import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import busboy from 'busboy';
import { BlobError, invalid } from '../../../../src/protocol/errors.js';

/** The one file part of a form, and the text fields before it. */
export interface FormFile {
  fields: Record<string, string>;
  name: string;
  contentType: string;
  body: Readable;
  /** Resolves when the form has ended as it should; await it before a commit. @throws when something follows the file. */
  complete(): Promise<void>;
}

const LIMITS = { fields: 20, fieldNameSize: 100, fieldSize: 16 * 1024, parts: 30, headerPairs: 50 };

/**
 * Reads a `multipart/form-data` body with one part `file`, its options as text fields before it, and hands the part over while it streams.
 * @throws `VALIDATION_ERROR`, `NO_FILE_UPLOADED`; whatever `receive` throws.
 */
export async function readForm<T>(
  request: IncomingMessage,
  bytes: AsyncIterable<Uint8Array>,
  receive: (file: FormFile) => Promise<T>,
): Promise<T> {
  let parser: busboy.Busboy;
  try {
    // `utf8`: browsers write file names so, whatever the header says. `preservePath`: what is unsafe is judged, not cut away.
    parser = busboy({ headers: request.headers, defParamCharset: 'utf8', preservePath: true, limits: LIMITS });
  } catch (cause) {
    throw new BlobError('VALIDATION_ERROR', 'content-type: is no valid multipart/form-data', { path: 'content-type', cause });
  }
  // Every failure is awaited below; a stream that fails with nobody listening would end the process.
  parser.on('error', () => {});
  const fields: Record<string, string> = Object.create(null) as Record<string, string>;
  let received: Promise<T> | undefined;
  let fail: (cause: Error) => void = () => {};
  const failed = new Promise<never>((_, reject) => (fail = reject));
  failed.catch(() => {});

  // The types do not say so: a part without a name has none here, and a value in an unknown charset is missing.
  parser.on('field', (name: string | undefined, value: string | undefined, { valueTruncated }) => {
    if (name === undefined || value === undefined) fail(invalid('body', 'has a field without a name or in an unknown charset'));
    else if (received) fail(invalid(name, 'stands after the file; options come before it'));
    else if (valueTruncated) fail(invalid(name, `is longer than ${LIMITS.fieldSize} bytes`));
    else if (name in fields) fail(invalid(name, 'is given twice'));
    else fields[name] = value;
  });
  parser.on('fieldsLimit', () => fail(invalid('body', `has more than ${LIMITS.fields} fields`)));
  parser.on('partsLimit', () => fail(invalid('body', `has more than ${LIMITS.parts} parts`)));
  parser.on('file', (name, body, info) => {
    // A form that breaks off breaks its part too, perhaps before anybody reads it: unheard, that would end the process.
    body.on('error', () => {});
    const problem =
      name === 'file' ? (received ? 'may be there once' : undefined) : 'is no field of this request; the file is "file"';
    if (problem !== undefined) {
      body.resume();
      fail(invalid(name, problem));
      return;
    }
    // In this order: when both are settled, the refusal counts.
    const complete = () => Promise.race([failed, ended]);
    received = (async () => receive({ fields, name: info.filename ?? '', contentType: info.mimeType, body, complete }))();
    received.catch(fail);
  });

  const ended = pipeline(bytes, parser).catch((cause: Error) => {
    // The sender went away or is too slow, or what came is no form.
    throw cause instanceof BlobError
      ? cause
      : new BlobError('VALIDATION_ERROR', `body: ${cause.message}`, { path: 'body', cause });
  });
  try {
    await Promise.race([failed, ended]);
  } catch (cause) {
    parser.destroy();
    await received?.catch(() => {});
    throw cause;
  }
  if (!received) throw new BlobError('NO_FILE_UPLOADED', 'The form has no part "file".');
  return received;
}
