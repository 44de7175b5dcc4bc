import { createBulkTransfer, IndexedJournal, S3Error } from '../../../src/bulk/index.js';
import type { BulkTransfer, Credentials, Place } from '../../../src/bulk/index.js';
import { trimOf } from '../../../src/protocol/trim.js';
import { isReachable, parseEndpoint } from './endpoint.js';
import { fieldValue } from './location-form.js';
import type { KeyFields } from './key-fields.js';

/** A store that files can go to. */
export interface Connection {
  transfer: BulkTransfer;
  location: Place;
  /** Undefined where the browser has no IndexedDB for us: then nothing is gone on with. */
  journal: IndexedJournal | undefined;
  /** What is said of it as long as nothing is wrong. */
  readonly description: string;
}

/** What the backend answers: a pair that opens one folder for minutes. */
interface Grant {
  endpoint: string;
  region: string;
  bucket: string;
  prefix: string;
  access_key_id: string;
  secret_access_key: string;
  expires_at: string;
}

/** The pairs of this tab, all of them: they live here and nowhere else. */
const pairs = new Set<string>();

async function askForGrant(signal: AbortSignal): Promise<Grant> {
  const answer = await fetch('/admin/keys', { method: 'POST', cache: 'no-store', signal });
  if (!answer.ok) throw new S3Error('CredentialsMissing', `The backend answered ${answer.status}.`);
  const grant = (await answer.json()) as Grant;
  pairs.add(grant.access_key_id);
  return grant;
}

const credentialsOf = (grant: Grant): Credentials => ({
  accessKeyId: grant.access_key_id,
  secretAccessKey: grant.secret_access_key,
  expiration: new Date(grant.expires_at),
});

export interface ConnectOptions {
  /** Ends the connecting, and the renewals after it. */
  signal: AbortSignal;
  /** That of the connection that this one takes over from. */
  journal: IndexedJournal | undefined;
}

/**
 * The S3 endpoint of this machine.
 * @param renewed hears that `told` is another one
 */
export async function connectToLocalStore(renewed: () => void, { signal, journal }: ConnectOptions): Promise<Connection> {
  let first: Grant | undefined = await askForGrant(signal).catch((cause: unknown) => {
    throw cause instanceof TypeError ? new S3Error('CredentialsMissing', 'The backend cannot be reached.', { cause }) : cause;
  });
  const { endpoint, region, bucket, prefix } = first;
  const time = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
  let told = '';
  const credentials = async (): Promise<Credentials> => {
    const grant = first ?? (await askForGrant(signal));
    first = undefined;
    told = `Keys for ${bucket}/${prefix} until ${time.format(new Date(grant.expires_at))}, renewed before that`;
    renewed();
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
      return told;
    },
  };
}

/** Leaving: what this tab was given opens nothing any more. */
export function revokeLocalKeys(): void {
  for (const id of pairs) void fetch(`/admin/keys/${id}`, { method: 'DELETE', keepalive: true });
  pairs.clear();
}

/** Any store; its keys are asked for nothing but one listing. @throws S3Error */
export async function connectToOtherStore(keys: KeyFields, { signal, journal }: ConnectOptions): Promise<Connection> {
  const credentials = keys.take();
  const place = { bucket: fieldValue('bucket'), prefix: folderOf(fieldValue('prefix')) };
  const endpoint = parseEndpoint(fieldValue('endpoint'), place.bucket);
  const transfer = createBulkTransfer({ endpoint, region: fieldValue('region') || 'us-east-1', credentials });
  try {
    await transfer.list(place, { retry: { tries: 1 }, signal }).next();
  } catch (error) {
    keys.forgetIfRefused(error);
    throw await explainConnectionError(error, endpoint, signal);
  }
  journal ??= await openJournal(endpoint, place.bucket, signal);
  return { transfer, location, journal, description: `Connected to ${place.bucket}/${place.prefix}` };
}

function folderOf(text: string): string {
  const folder = trimOf(text, '/');
  return folder === '' ? '' : `${folder}/`;
}

/** Why no answer could be read, as far as a page can find out. */
async function explainConnectionError(error: unknown, endpoint: string, signal: AbortSignal): Promise<unknown> {
  if (!(error instanceof S3Error) || error.code !== 'ConnectionFailed') return error;
  const { host, origin, port } = new URL(endpoint);
  if (await isReachable(endpoint, signal))
    return new S3Error('NotLetIn', `${host} answers, but lets this page read nothing.`, { cause: error });
  // What listens at a port speaks one of both, and is silent to the other.
  const doubt = port === '' ? '' : ' Is it http or https?';
  return new S3Error('NoAnswer', `Nothing answers at ${origin}.${doubt}`, { cause: error });
}

async function openJournal(endpoint: string, bucket: string, signal: AbortSignal): Promise<IndexedJournal | undefined> {
  const journal = await IndexedJournal.open(`${endpoint} ${bucket}`).catch(() => undefined);
  if (signal.aborted) journal?.close(true);
  signal.throwIfAborted();
  return journal;
}
