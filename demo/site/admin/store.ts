import { createBulkTransfer, IndexedJournal, S3Error } from '../../../src/s3/index.js';
import type { BulkTransfer, Credentials, Place } from '../../../src/s3/index.js';

/** A store that files can go to. */
export interface Connection {
  transfer: BulkTransfer;
  place: Place;
  /** Undefined where the browser has no IndexedDB for us: then nothing is gone on with. */
  journal: IndexedJournal | undefined;
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

/**
 * The S3 endpoint of this machine.
 * @param tell hears until when the present pair lives
 * @param signal ends the connecting, and the renewals after it
 */
export async function connectOwn(tell: (text: string) => void, signal: AbortSignal): Promise<Connection> {
  let first: Grant | undefined = await askForGrant(signal);
  const { endpoint, region, bucket, prefix } = first;
  const time = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
  const credentials = async (): Promise<Credentials> => {
    const grant = first ?? (await askForGrant(signal));
    first = undefined;
    tell(`Keys for ${bucket}/${prefix} until ${time.format(new Date(grant.expires_at))}, renewed before that`);
    return credentialsOf(grant);
  };
  const transfer = createBulkTransfer({ endpoint, region, credentials });
  await transfer.store.credentials();
  return { transfer, place: { bucket, prefix }, journal: await openJournal(endpoint, bucket, signal) };
}

/** Leaving: what this tab was given opens nothing any more. */
export function revokeOwn(): void {
  for (const id of pairs) void fetch(`/admin/keys/${id}`, { method: 'DELETE', keepalive: true });
  pairs.clear();
}

/** Any store. The keys are taken out of their fields at once, and asked for nothing but one listing. @throws S3Error */
export async function connectOther(form: HTMLFormElement, signal: AbortSignal): Promise<Connection> {
  const field = (name: string): HTMLInputElement => form.elements.namedItem(name) as HTMLInputElement;
  const value = (name: string): string => field(name).value.trim();
  const endpoint = value('endpoint');
  const folder = value('prefix').replaceAll(/^\/+|\/+$/g, '');
  const sessionToken = value('session');
  const credentials = { accessKeyId: value('key-id'), secretAccessKey: value('secret'), ...(sessionToken && { sessionToken }) };
  for (const name of ['key-id', 'secret', 'session']) field(name).value = '';
  const region = value('region') || 'us-east-1';
  const place = { bucket: value('bucket'), prefix: folder === '' ? '' : `${folder}/` };
  const transfer = createBulkTransfer({ endpoint, region, credentials });
  await transfer.list(place, { retry: { tries: 1 }, signal }).next();
  return { transfer, place, journal: await openJournal(endpoint, place.bucket, signal) };
}

async function openJournal(endpoint: string, bucket: string, signal: AbortSignal): Promise<IndexedJournal | undefined> {
  const journal = await IndexedJournal.open(`${endpoint} ${bucket}`).catch(() => undefined);
  if (signal.aborted) journal?.close(true);
  signal.throwIfAborted();
  return journal;
}
