import { createBulkTransfer, IndexedJournal, S3Error } from '../../../src/bulk/index.js';
import type { BulkTransfer, Credentials, Place } from '../../../src/bulk/index.js';
import { trimCharacters } from '../../../src/protocol/trim.js';
import { isReachable, parseEndpoint } from './endpoint.js';
import type { KeyFields } from './key-fields.js';
import { fieldValue } from './location-form.js';

/** A store that the page is connected to. */
export interface Connection {
  transfer: BulkTransfer;
  location: Place;
  /** Undefined if the browser has no IndexedDB. Then no transfer can be resumed. */
  journal: IndexedJournal | undefined;
  /** A text about the connection, while nothing is wrong. */
  readonly description: string;
}

/** The response of the backend: a key pair that opens one folder for minutes. */
interface Grant {
  endpoint: string;
  region: string;
  bucket: string;
  prefix: string;
  access_key_id: string;
  secret_access_key: string;
  expires_at: string;
}

/** Ids of all key pairs of this tab. */
const keyIds = new Set<string>();

async function requestGrant(signal: AbortSignal): Promise<Grant> {
  const response = await fetch('/admin/keys', { method: 'POST', cache: 'no-store', signal });
  if (!response.ok) throw new S3Error('CredentialsMissing', `The backend responded with ${response.status}.`);
  const grant = (await response.json()) as Grant;
  keyIds.add(grant.access_key_id);
  return grant;
}

const credentialsOf = (grant: Grant): Credentials => ({
  accessKeyId: grant.access_key_id,
  secretAccessKey: grant.secret_access_key,
  expiration: new Date(grant.expires_at),
});

export interface ConnectOptions {
  /** Ends the connection attempt, and later renewals of keys. */
  signal: AbortSignal;
  /** The journal of the previous connection to the same store. */
  journal: IndexedJournal | undefined;
}

/**
 * Connects to the S3 endpoint of this machine.
 * @param onRenewed called when the description changes
 */
export async function connectToLocalStore(onRenewed: () => void, { signal, journal }: ConnectOptions): Promise<Connection> {
  let firstGrant: Grant | undefined = await requestGrant(signal).catch((cause: unknown) => {
    throw cause instanceof TypeError ? new S3Error('CredentialsMissing', 'The backend cannot be reached.', { cause }) : cause;
  });
  const { endpoint, region, bucket, prefix } = firstGrant;
  const time = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
  let description = '';
  const credentials = async (): Promise<Credentials> => {
    const grant = firstGrant ?? (await requestGrant(signal));
    firstGrant = undefined;
    description = `Connected to ${bucket}/${prefix}. The keys are valid until ${time.format(new Date(grant.expires_at))} and are renewed before.`;
    onRenewed();
    return credentialsOf(grant);
  };
  const transfer = createBulkTransfer({ endpoint, region, credentials });
  await transfer.store.credentials();
  journal ??= await openJournal(endpoint, bucket, signal);
  return {
    transfer,
    location: { bucket, prefix },
    journal,
    get description() {
      return description;
    },
  };
}

/** Revokes all key pairs of this tab, when the visitor leaves. */
export function revokeLocalKeys(): void {
  for (const id of keyIds) void fetch(`/admin/keys/${id}`, { method: 'DELETE', keepalive: true });
  keyIds.clear();
}

/** Connects to the store in the form, and checks the keys with one listing. @throws S3Error */
export async function connectToOtherStore(keys: KeyFields, { signal, journal }: ConnectOptions): Promise<Connection> {
  const credentials = keys.take();
  const location = { bucket: fieldValue('bucket'), prefix: asPrefix(fieldValue('prefix')) };
  const endpoint = parseEndpoint(fieldValue('endpoint'), location.bucket);
  const transfer = createBulkTransfer({ endpoint, region: fieldValue('region') || 'us-east-1', credentials });
  try {
    await transfer.list(location, { retry: { tries: 1 }, signal }).next();
  } catch (error) {
    keys.forgetIfRefused(error);
    throw await explainConnectionError(error, endpoint, signal);
  }
  journal ??= await openJournal(endpoint, location.bucket, signal);
  return { transfer, location, journal, description: `Connected to ${location.bucket}/${location.prefix}` };
}

function asPrefix(text: string): string {
  const folder = trimCharacters(text, '/');
  return folder === '' ? '' : `${folder}/`;
}

/** Finds out why a page cannot read a response: the address is wrong, or the store does not admit the page. */
async function explainConnectionError(error: unknown, endpoint: string, signal: AbortSignal): Promise<unknown> {
  if (!(error instanceof S3Error) || error.code !== 'ConnectionFailed') return error;
  const { host, origin, port } = new URL(endpoint);
  if (await isReachable(endpoint, signal))
    return new S3Error('NotAdmitted', `${host} responds, but does not admit this page.`, { cause: error });
  // A port speaks either http or https, and does not respond to the other.
  const hint = port === '' ? '' : ' Is it http or https?';
  return new S3Error('NoResponse', `${origin} does not respond.${hint}`, { cause: error });
}

async function openJournal(endpoint: string, bucket: string, signal: AbortSignal): Promise<IndexedJournal | undefined> {
  const journal = await IndexedJournal.open(`${endpoint} ${bucket}`).catch(() => undefined);
  if (signal.aborted) journal?.close(true);
  signal.throwIfAborted();
  return journal;
}
