import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Accounts } from './identity/accounts.js';
import { FIRST_ACCOUNT } from './identity/first-account.js';
import { ApiKeys } from './identity/keys/api-keys.js';
import { S3Credentials } from './identity/s3-credentials.js';
import { UploadTokens } from './identity/upload-tokens.js';
import { openOauth } from './identity/oauth/oauth.js';
import type { Oauth } from './identity/oauth/oauth.js';
import { FirstAdministrator } from './identity/users/first-administrator.js';
import { Invitations } from './identity/users/invitations.js';
import { OneTimeLinks } from './identity/users/one-time-links.js';
import { PasswordHasher } from './identity/users/passwords.js';
import { Sessions } from './identity/users/sessions.js';
import { SignIns } from './identity/users/sign-ins.js';
import { UserPasswords } from './identity/users/user-passwords.js';
import { UserStatus } from './identity/users/user-status.js';
import { Users } from './identity/users/users.js';
import { Activities } from './identity/activities/activities.js';
import { Organizations } from './identity/organization/organizations.js';
import { Memberships } from './identity/workspaces/memberships.js';
import { openWorkspaces } from './identity/workspaces/open-workspaces.js';
import type { WorkspaceParts } from './identity/workspaces/open-workspaces.js';
import { requireScannerAddress } from './scanning/scanner-address.js';
import { ScanPolicy } from './storage/scans/scan-policy.js';
import { BlobStorage } from './storage/blob-storage.js';
import type { BytesDriver } from './drivers/bytes/driver.js';
import { openFsBytes } from './drivers/bytes/fs.js';
import { parseS3Location } from './drivers/bytes/s3-location.js';
import { openS3Bytes } from './drivers/bytes/s3.js';
import { parseFrameCommands } from './images/frames/frame-programs.js';
import { Images } from './images/images.js';
import { DERIVED_LIMITS } from './images/limits.js';
import { Counters } from './identity/limits/counters.js';
import type { Metadata } from './drivers/metadata/metadata.js';
import { openPostgres } from './drivers/metadata/postgres.js';
import { openSqlite } from './drivers/metadata/sqlite.js';
import { loadOptional } from './runtime/load-optional.js';
import { MAX_SKEW_MS } from './options.js';
import type { BlobServiceOptions } from './options.js';
import { preparePrivateData } from './runtime/private-data.js';
import { settleWithin } from './runtime/settle-within.js';
import { Domains } from './sharing/domains.js';
import { Links } from './sharing/links.js';
import { Rules } from './sharing/rules.js';
import { Shares } from './sharing/shares.js';
import { OutboundClient } from './outbound/outbound-client.js';
import { openWebhooks } from './webhooks/open-webhooks.js';
import type { WebhookParts } from './webhooks/open-webhooks.js';
import { serverSecret } from './server-secret.js';

/** The opened parts below the routes. They work without HTTP. */
export interface Core extends WorkspaceParts, WebhookParts {
  blobs: BlobStorage;
  accounts: Accounts;
  keys: ApiKeys;
  tokens: UploadTokens;
  s3Credentials: S3Credentials;
  /** Runs a transaction on the database, for stores whose methods take part in the transaction of their caller. */
  write: Metadata['write'];
  users: Users;
  sessions: Sessions;
  passwords: PasswordHasher;
  signIns: SignIns;
  userPasswords: UserPasswords;
  userStatus: UserStatus;
  firstAdministrator: FirstAdministrator;
  invitations: Invitations;
  memberships: Memberships;
  oauth: Oauth;
  organizations: Organizations;
  activities: Activities;
  counters: Counters;
  links: Links;
  shares: Shares;
  rules: Rules;
  domains: Domains;
  /** Sends requests to addresses that users name. */
  outbound: OutboundClient;
  images: Images;
  /** 32 secret bytes of this service. Derive a separate key from them for each purpose. */
  secret: Uint8Array;
  /** ms since 1970 by the database's clock, which all replicas share. */
  now(): number;
  /** @returns how far this machine's clock is ahead of the database's, ms; negative if it is behind. */
  measureSkew(): Promise<number>;
  /**
   * Prepares this process to serve the data: locks the data directory and restores the blobs of the write-ahead log after a crash.
   * @returns true if no other process can serve the data, false if replicas may share the database.
   * @throws Error if another process serves the directory, or if this machine's clock is wrong by more than 60 seconds.
   */
  lockForServing(): Promise<boolean>;
  close(): Promise<void>;
}

export type CoreOptions = Pick<
  BlobServiceOptions,
  | 'dataDir'
  | 'databaseUrl'
  | 'store'
  | 'dnsServers'
  | 'outboundAllow'
  | 'images'
  | 'thumbnails'
  | 'imageCacheBytes'
  | 'scan'
  | 'scanUnavailable'
>;

/** Time in which a stopping service returns the unused rest of its request limits, and writes when keys were last used. Later, both are lost. */
const WRITE_COUNTERS_WITHIN_MS = 3000;

/**
 * Opens database and store, and creates what is missing. The service uses it, and so do commands that work on the data itself.
 * @throws Error if the database, the bucket or the data directory cannot be opened.
 */
export async function openCore(options: CoreOptions): Promise<Core> {
  const { dataDir = './data', databaseUrl } = options;
  // Before anything is opened, because a range may be invalid.
  const outbound = new OutboundClient({ allow: options.outboundAllow, dnsServers: options.dnsServers });
  const scanPolicy = createScanPolicy(options);
  const frameCommands = parseFrameCommands(options.thumbnails ?? []);
  const warn = (message: string) => process.emitWarning(message, 'svc-uploader');
  await preparePrivateData(dataDir, warn, { databases: databaseUrl === undefined });
  const metadata = await openMetadata(dataDir, databaseUrl);
  const now = () => metadata.now();
  const closeMetadata = async (cause: unknown) => {
    await metadata.close();
    throw cause;
  };
  const bytes = await openBytes(dataDir, options.store).catch(closeMetadata);
  const derivedLimits = { ...DERIVED_LIMITS, ...(options.imageCacheBytes !== undefined && { bytes: options.imageCacheBytes }) };
  const blobs = new BlobStorage(metadata, bytes, { replica: randomBytes(8).toString('hex'), now, derivedLimits, scanPolicy });
  const images = new Images(blobs, { enabled: options.images, frameCommands });
  const accounts = new Accounts(metadata, now);
  await accounts.ensure(FIRST_ACCOUNT);
  const secret = await serverSecret(metadata, dataDir).catch(closeMetadata);
  const counters = new Counters(metadata, now);
  const keys = new ApiKeys(metadata, now);
  const memberships = new Memberships(metadata, now);
  const users = openUsers(metadata, accounts, now);
  let lock: { close(): void } | undefined;
  return {
    blobs,
    accounts,
    keys,
    tokens: new UploadTokens(metadata, now),
    s3Credentials: new S3Credentials(metadata, secret, now),
    write: (job, options) => metadata.write(job, options),
    oauth: openOauth(metadata, { secret, keys, counters, now }),
    memberships,
    ...openWorkspaces({ metadata, memberships, now }),
    organizations: new Organizations({ metadata, memberships, now }),
    activities: new Activities(metadata, counters, now),
    ...users,
    counters,
    links: new Links(secret),
    shares: new Shares(metadata, now, users.passwords, secret),
    rules: new Rules(metadata, now),
    domains: new Domains(metadata, now, options.dnsServers),
    images,
    outbound,
    ...openWebhooks(metadata, { outbound, secret, now }),
    secret,
    now,
    measureSkew: () => metadata.measureSkew(),
    async lockForServing() {
      assertSkew(await metadata.measureSkew());
      if (databaseUrl !== undefined) return false;
      if (lock) return true;
      lock = await lockDirectory(dataDir);
      await bytes.recover();
      return true;
    },
    async close() {
      images.close();
      const counts = Promise.all([counters.close(), keys.flushUses(), blobs.dailySums.flush(), blobs.breakdowns.close()]);
      await Promise.all([settleWithin(WRITE_COUNTERS_WITHIN_MS, counts), blobs.releaseInterrupted()]);
      await metadata.close();
      await bytes.close();
      lock?.close();
    },
  };
}

/** @throws Error if an option of the virus scan is invalid. */
function createScanPolicy({ scan, scanUnavailable }: CoreOptions): ScanPolicy {
  if (scan !== undefined) requireScannerAddress(scan);
  if (scanUnavailable !== undefined && scanUnavailable !== 'block' && scanUnavailable !== 'allow')
    throw new Error(`scanUnavailable must be block or allow; got "${String(scanUnavailable)}"`);
  return new ScanPolicy({ isEnabled: scan !== undefined, ...(scanUnavailable && { whenUnavailable: scanUnavailable }) });
}

function openUsers(metadata: Metadata, accounts: Accounts, now: () => number) {
  const users = new Users(metadata, accounts, now);
  const sessions = new Sessions(metadata, now);
  const passwords = new PasswordHasher();
  const signIns = new SignIns(metadata, { users, sessions, passwords }, now);
  const links = new OneTimeLinks(metadata, now);
  return {
    users,
    sessions,
    passwords,
    signIns,
    userPasswords: new UserPasswords(metadata, { users, sessions, passwords, signIns }, now),
    userStatus: new UserStatus(metadata, sessions, now),
    firstAdministrator: new FirstAdministrator(metadata, { users, links, passwords }),
    invitations: new Invitations(metadata, { users, links, passwords }, now),
  };
}

async function openMetadata(dataDir: string, databaseUrl: string | undefined): Promise<Metadata> {
  const now = () => Date.now();
  if (databaseUrl !== undefined) {
    const { default: pg } = await loadOptional('postgres', () => import('pg'));
    return openPostgres(pg, databaseUrl, now).catch((cause: Error & { code?: string }) => {
      // For a host with several addresses Node puts the messages into a list.
      throw new Error(`the database of DATABASE_URL cannot be opened: ${cause.message || cause.code}`, { cause });
    });
  }
  const { default: Libsql } = await loadOptional('service', () => import('libsql'));
  return openSqlite(Libsql, join(dataDir, 'metadata.db'), now);
}

async function openBytes(dataDir: string, store: string | undefined): Promise<BytesDriver> {
  if (store === undefined) return openFsBytes(join(dataDir, 'blobs'));
  const location = parseS3Location(store);
  return openS3Bytes(await loadOptional('s3', () => import('@aws-sdk/client-s3')), location);
}

/** @throws Error if the clocks of this machine and of the database differ by more than a minute. */
function assertSkew(skew: number): void {
  if (Math.abs(skew) <= MAX_SKEW_MS) return;
  const seconds = Math.round(Math.abs(skew) / 1000);
  const direction = skew > 0 ? 'ahead of' : 'behind';
  throw new Error(
    `this machine's clock is ${seconds} seconds ${direction} the database's. Set both clocks by NTP, then start again.`,
  );
}

/** Locks a data directory with a lock of the operating system, which ends with the process. */
async function lockDirectory(dataDir: string): Promise<{ close(): void }> {
  const { default: Libsql } = await loadOptional('service', () => import('libsql'));
  const lock = new Libsql(join(dataDir, 'serve.lock'));
  try {
    lock.exec('begin exclusive');
  } catch (cause) {
    lock.close();
    throw new Error(`another service runs on ${dataDir}; stop it, or choose another data directory`, { cause });
  }
  return lock;
}
