import { BlobError } from '../../src/protocol/errors.js';
import type { FileRecord } from '../../src/protocol/types.js';

/** A timestamp may be this far from the clock of this machine, seconds. */
const TOLERANCE_SECONDS = 300;
const SECRET_PREFIX = 'whsec_';

/** An event of Blob Storage. */
export type WebhookEvent =
  | { type: 'file.created'; timestamp: string; data: { file: FileRecord } }
  | { type: 'file.updated'; timestamp: string; data: { file: FileRecord; previous_path?: string } }
  | { type: 'file.deleted'; timestamp: string; data: { file: FileRecord; reason: 'deleted' | 'replaced' | 'expired' } }
  | { type: 'file.scanned'; timestamp: string; data: { file: FileRecord } }
  | { type: 'upload.failed'; timestamp: string; data: { upload: { path: string; code: string; message: string } } };

/** A received request: its body exactly as it arrived, and its headers. */
export interface ReceivedWebhook {
  /** The raw body. A body that was parsed and serialized again has another signature. */
  body: string | Uint8Array;
  /** A `Headers` object, or an object with header names in any case. */
  headers: Headers | Readonly<Record<string, string | string[] | undefined>>;
}

export interface VerifyWebhookOptions {
  /** The secret of the webhook, `whsec_…`. During a rotation, both secrets. */
  secret: string | readonly string[];
  /** Returns the time, ms since 1970. @default Date.now */
  now?: () => number;
}

/** The message does not state which check failed in detail, because a sender could learn from it. */
const refused = (reason: 'headers' | 'timestamp' | 'signature' | 'body', message: string) =>
  new BlobError('WEBHOOK_INVALID', message, { status: 400, details: { reason } });

/**
 * Verifies a webhook by the Standard Webhooks specification: the signature, and that the request is at most five minutes old.
 * @returns the event. It may arrive more than once: remember the header `webhook-id` of processed events.
 * @throws BlobError `WEBHOOK_INVALID` with `details.reason`; `VALIDATION_ERROR` if a secret is missing or malformed.
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 * @example
 * const event = await verifyWebhook({ body: await request.text(), headers: request.headers }, { secret: process.env.WEBHOOK_SECRET });
 */
export async function verifyWebhook({ body, headers }: ReceivedWebhook, options: VerifyWebhookOptions): Promise<WebhookEvent> {
  const keys = keysOf(options.secret);
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    headerOf(headers, name),
  );
  if (!id || !timestamp || !signatures) throw refused('headers', 'The webhook lacks an id, a timestamp or a signature.');
  const now = (options.now ?? Date.now)() / 1000;
  if (!/^\d{1,12}$/.test(timestamp) || !(Math.abs(now - Number(timestamp)) <= TOLERANCE_SECONDS))
    throw refused('timestamp', 'The webhook is older or newer than five minutes.');
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const signed = concat(new TextEncoder().encode(`${id}.${timestamp}.`), bytes);
  if (!(await hasValidSignature(keys, signatures, signed)))
    throw refused('signature', 'The webhook has no valid signature of this secret.');
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as WebhookEvent;
  } catch (cause) {
    throw new BlobError('WEBHOOK_INVALID', 'The webhook is no JSON.', { status: 400, details: { reason: 'body' }, cause });
  }
}

/** A missing secret must not verify anything, so it is refused before the request is read. */
function keysOf(secret: VerifyWebhookOptions['secret']): Uint8Array<ArrayBuffer>[] {
  const secrets: readonly unknown[] = Array.isArray(secret) ? secret : [secret];
  if (secrets.length === 0) throw secretInvalid();
  return secrets.map(decodeSecret);
}

const secretInvalid = () =>
  new BlobError('VALIDATION_ERROR', '`secret` must be the secret of the webhook, such as whsec_….', { path: 'secret' });

function decodeSecret(secret: unknown): Uint8Array<ArrayBuffer> {
  if (typeof secret !== 'string' || !/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/.test(secret)) throw secretInvalid();
  const key = decodeBase64(secret.slice(SECRET_PREFIX.length));
  if (!key) throw secretInvalid();
  return key;
}

/** Compares in constant time: `crypto.subtle.verify` does. Signatures of other versions are ignored. */
async function hasValidSignature(
  keys: readonly Uint8Array<ArrayBuffer>[],
  signatures: string,
  signed: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  // A rotation has two signatures. More would only make the check slow.
  const candidates = signatures.split(' ', 10).flatMap((text) => {
    const [version, value = ''] = text.split(',');
    const signature = version === 'v1' ? decodeBase64(value) : undefined;
    return signature ? [signature] : [];
  });
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  for (const raw of keys) {
    const key = await crypto.subtle.importKey('raw', raw, algorithm, false, ['verify']);
    for (const signature of candidates) if (await crypto.subtle.verify('HMAC', key, signature, signed)) return true;
  }
  return false;
}

function headerOf(headers: ReceivedWebhook['headers'], name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const found = Object.entries(headers).find(([candidate]) => candidate.toLowerCase() === name)?.[1];
  return Array.isArray(found) ? found[0] : found;
}

/** @returns undefined unless the text is base64. */
function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function concat(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(first.length + second.length);
  joined.set(first);
  joined.set(second, first.length);
  return joined;
}
