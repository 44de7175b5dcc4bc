import { S3Error } from '../../../src/bulk/index.js';
import type { Credentials } from '../../../src/bulk/index.js';
import { field, usesLocalStore, fieldValue } from './location-form.js';

const PAIR = ['key-id', 'secret'];
const ALL = [...PAIR, 'session'];

/** Said of the keys themselves: they are of no more use. */
const REFUSALS = new Set(['ExpiredToken', 'InvalidAccessKeyId', 'InvalidToken', 'SignatureDoesNotMatch']);

/** Keys leave their fields for memory as soon as they are used. */
export class KeyFields {
  /** Those used last, until the store refuses them: who mistyped the bucket need not enter them again. */
  #keys: Credentials | undefined;

  constructor() {
    for (const name of ALL) field(name).addEventListener('input', () => this.updateRequired());
  }

  /** Says which have to be filled. */
  updateRequired(): void {
    const isNeeded = !usesLocalStore() && (this.#keys === undefined || ALL.some((name) => fieldValue(name) !== ''));
    for (const name of PAIR) {
      field(name).required = isNeeded;
      field(name).placeholder = this.#keys === undefined ? '' : 'as entered before';
    }
  }

  take(): Credentials {
    const [accessKeyId, secretAccessKey, sessionToken] = ALL.map(fieldValue) as [string, string, string];
    if (accessKeyId !== '') this.#keys = { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) };
    for (const name of ALL) field(name).value = '';
    this.updateRequired();
    return this.#keys!;
  }

  /** @param error what they met */
  forgetIfRefused(error: unknown): void {
    if (error instanceof S3Error && REFUSALS.has(error.code)) this.forget();
  }

  forget(): void {
    this.#keys = undefined;
    this.updateRequired();
  }
}
