import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { BlobError, validationError } from '../../../../src/protocol/errors.js';
import { ConcurrencyLimit } from '../../runtime/concurrency-limit.js';
import { equalBytes } from '../../runtime/equal-bytes.js';
import { COMMON_PASSWORDS } from './common-passwords.js';
import { scryptProcesses } from './hashing/scrypt-processes.js';

/** Length of passwords in characters. */
export const PASSWORD_LENGTH = { min: 8, max: 256 } as const;

/** Parameters of scrypt. `logN` is the binary logarithm of the cost. */
export interface ScryptParameters {
  logN: number;
  r: number;
  p: number;
}

/** Parameters of new hashes. A hash takes 128 MiB of memory and some tenths of a second. */
const CURRENT: ScryptParameters = { logN: 17, r: 8, p: 1 };
/** Parameters of share passwords before the parameters were stored with the hash. */
const LEGACY: ScryptParameters = { logN: 14, r: 8, p: 1 };
/** Hashes at the same time: at most two, and a core is left to uploads. */
const MAX_RUNNING = availableParallelism() > 2 ? 2 : 1;
const HASH_BYTES = 32;
const SALT_BYTES = 16;

export interface PasswordHasherOptions {
  /** Binary logarithm of scrypt's cost. @default 17 */
  logN?: number;
  /** Hashes that are computed at the same time. Each takes a core and 128 MiB. @default 2; 1 on machines with one or two cores */
  maxRunning?: number;
  /** Requests that may wait for their turn. Beyond it, the service asks clients to come back. @default 32 */
  maxWaiting?: number;
}

/** The result of a comparison. */
export interface PasswordMatch {
  isCorrect: boolean;
  /** Whether the stored hash has other parameters than new hashes. */
  isOutdated: boolean;
}

/**
 * Returns the reason to refuse a new password: `short`, `long` or `common`. Undefined if it is acceptable.
 */
export function passwordProblem(password: string): 'short' | 'long' | 'common' | undefined {
  const { length } = [...password];
  if (length < PASSWORD_LENGTH.min) return 'short';
  if (length > PASSWORD_LENGTH.max) return 'long';
  return COMMON_PASSWORDS.has(password.normalize('NFC').toLowerCase()) ? 'common' : undefined;
}

/** Validates a new password. @throws `VALIDATION_ERROR`, which does not contain the password. */
export function assertNewPassword(password: string, field = 'password'): void {
  const problem = passwordProblem(password);
  if (problem === undefined) return;
  if (problem === 'common')
    throw validationError(field, 'must not be one of the most common passwords; use several words or a password manager');
  throw validationError(
    field,
    `must have ${PASSWORD_LENGTH.min} to ${PASSWORD_LENGTH.max} characters; got ${[...password].length}`,
  );
}

const busy = () =>
  new BlobError('SERVICE_UNAVAILABLE', 'Too many people are signing in. Try again in a few seconds.', {
    details: { retry_after: 5 },
  });

/** Hashes passwords of users and of shares with scrypt. The parameters are stored with the hash. Few hashes run at a time. */
export class PasswordHasher {
  /** Parameters of new hashes. Only tests change them. */
  parameters: ScryptParameters;
  readonly #limit: ConcurrencyLimit;
  #computed = 0;

  constructor({ logN = CURRENT.logN, maxRunning = MAX_RUNNING, maxWaiting = 32 }: PasswordHasherOptions = {}) {
    this.parameters = { ...CURRENT, logN };
    this.#limit = new ConcurrencyLimit({ maxRunning, maxWaiting, busy });
  }

  /** Number of hashes computed so far. */
  get computed(): number {
    return this.#computed;
  }

  /** Refuses work before it starts, if the next hash would be refused. @throws `SERVICE_UNAVAILABLE` */
  assertNotBusy(): void {
    this.#limit.assertRoom();
  }

  /** Hashes a new password. @returns `$scrypt$ln=17,r=8,p=1$salt$hash`. @throws `SERVICE_UNAVAILABLE` if too many requests wait. */
  async hash(password: string, signal?: AbortSignal): Promise<string> {
    const salt = randomBytes(SALT_BYTES);
    const hash = await this.#derive(password, salt, this.parameters, signal);
    const { logN, r, p } = this.parameters;
    return `$scrypt$ln=${logN},r=${r},p=${p}$${salt.toString('base64')}$${Buffer.from(hash).toString('base64')}`;
  }

  /**
   * Compares a password with a stored hash in constant time.
   * @param stored undefined for an unknown user, which costs the same hash and is never correct.
   * @throws `SERVICE_UNAVAILABLE` if too many requests wait.
   */
  async compare(password: string, stored: string | undefined, signal?: AbortSignal): Promise<PasswordMatch> {
    const { parameters, salt, hash } = stored === undefined ? this.#dummy() : parseHash(stored);
    const derived = await this.#derive(password, salt, parameters, signal);
    const isEqual = equalBytes(derived, hash);
    const { logN, r, p } = this.parameters;
    return {
      isCorrect: isEqual && stored !== undefined,
      isOutdated: parameters.logN !== logN || parameters.r !== r || parameters.p !== p,
    };
  }

  #dummy(): StoredHash {
    return { parameters: this.parameters, salt: randomBytes(SALT_BYTES), hash: randomBytes(HASH_BYTES) };
  }

  async #derive(password: string, salt: Buffer, { logN, r, p }: ScryptParameters, signal?: AbortSignal): Promise<Uint8Array> {
    return this.#limit.run(() => {
      this.#computed++;
      return scryptProcesses.compute({ password: password.normalize('NFC'), salt, cost: 2 ** logN, r, p, bytes: HASH_BYTES });
    }, signal);
  }
}

interface StoredHash {
  parameters: ScryptParameters;
  salt: Buffer;
  hash: Buffer;
}

/** Reads a stored hash. The form `salt:hash` is that of share passwords before the parameters were stored. */
function parseHash(stored: string): StoredHash {
  const [, logN, r, p, salt, hash] = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d)\$([^$]+)\$([^$]+)$/.exec(stored) ?? [];
  if (salt !== undefined && hash !== undefined)
    return {
      parameters: { logN: Number(logN), r: Number(r), p: Number(p) },
      salt: Buffer.from(salt, 'base64'),
      hash: Buffer.from(hash, 'base64'),
    };
  const [legacySalt = '', legacyHash = ''] = stored.split(':');
  return { parameters: LEGACY, salt: Buffer.from(legacySalt, 'base64'), hash: Buffer.from(legacyHash, 'base64') };
}
