import { S3Error } from '../../../src/bulk/index.js';
import type { Credentials } from '../../../src/bulk/index.js';
import { field, isOwn, value } from './form.js';

const PAIR = ['key-id', 'secret'];
const ALL = [...PAIR, 'session'];

/** Said of the keys themselves: they are of no more use. */
const REFUSALS = new Set(['ExpiredToken', 'InvalidAccessKeyId', 'InvalidToken', 'SignatureDoesNotMatch']);

/** Keys leave their fields for memory as soon as they are used. */
export class KeyFields {
  /** Those used last, until the store refuses them: who mistyped the bucket need not enter them again. */
  #held: Credentials | undefined;

  constructor() {
    for (const name of ALL) field(name).addEventListener('input', () => this.require());
  }

  /** Says which have to be filled. */
  require(): void {
    const isNeeded = !isOwn() && (this.#held === undefined || ALL.some((name) => value(name) !== ''));
    for (const name of PAIR) {
      field(name).required = isNeeded;
      field(name).placeholder = this.#held === undefined ? '' : 'as entered before';
    }
  }

  take(): Credentials {
    const [accessKeyId, secretAccessKey, sessionToken] = ALL.map(value) as [string, string, string];
    if (accessKeyId !== '') this.#held = { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) };
    for (const name of ALL) field(name).value = '';
    this.require();
    return this.#held!;
  }

  /** @param error what they met */
  judge(error: unknown): void {
    if (error instanceof S3Error && REFUSALS.has(error.code)) this.forget();
  }

  forget(): void {
    this.#held = undefined;
    this.require();
  }
}
