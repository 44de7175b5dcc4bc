import { S3Error } from '../../../src/bulk/index.js';
import type { Credentials } from '../../../src/bulk/index.js';
import { field, fieldValue, usesLocalStore } from './location-form.js';

const KEY_PAIR = ['key-id', 'secret'];
const ALL_FIELDS = [...KEY_PAIR, 'session'];

/** Errors after which the keys are not used again. */
const REFUSALS = new Set(['ExpiredToken', 'InvalidAccessKeyId', 'InvalidToken', 'SignatureDoesNotMatch']);

/** Moves keys from their fields into memory when they are used. */
export class KeyFields {
  /** The last keys, until the store refuses them. A visitor who mistyped the bucket need not enter them again. */
  #keys: Credentials | undefined;

  constructor() {
    for (const name of ALL_FIELDS) field(name).addEventListener('input', () => this.updateRequired());
  }

  /** Marks the fields that must be filled in. */
  updateRequired(): void {
    const hasInput = ALL_FIELDS.some((name) => fieldValue(name) !== '');
    for (const name of KEY_PAIR) {
      field(name).required = !usesLocalStore() && (this.#keys === undefined || hasInput);
      field(name).placeholder = this.#keys === undefined ? '' : 'as entered before';
    }
  }

  /** Returns the keys and empties their fields. */
  take(): Credentials {
    const [accessKeyId, secretAccessKey, sessionToken] = ALL_FIELDS.map(fieldValue) as [string, string, string];
    if (accessKeyId !== '') this.#keys = { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) };
    for (const name of ALL_FIELDS) field(name).value = '';
    this.updateRequired();
    return this.#keys!;
  }

  /** Forgets the keys if an error shows that the store refuses them. */
  forgetIfRefused(error: unknown): void {
    if (error instanceof S3Error && REFUSALS.has(error.code)) this.forget();
  }

  forget(): void {
    this.#keys = undefined;
    this.updateRequired();
  }
}
