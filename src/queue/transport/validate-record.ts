import { BlobError } from '../../protocol/errors.js';
import { findPathProblem } from '../../protocol/paths.js';
import type { FileRecord } from '../../protocol/types.js';
import type { QueueItem } from '../queue-item.js';
import type { Outcome } from '../outcome.js';

/** Returns why a record of the service does not describe the file that was sent, or undefined. */
function recordProblem(record: Partial<Record<keyof FileRecord, unknown>>, size: number): string | undefined {
  const { id, path, name, content_type: type, url, sha256 } = record;
  if (typeof id !== 'string' || id === '') return 'has no id';
  if (typeof path !== 'string' || findPathProblem(path) !== undefined) return 'has no path';
  if (typeof name !== 'string' || name === '') return 'has no name';
  if (typeof type !== 'string') return 'has no content type';
  if (record.size !== size) return `is of a file of ${String(record.size)} bytes, not of ${size}`;
  // Pages link to the URL. A `javascript:` URL would run.
  if (url !== null && (typeof url !== 'string' || !/^https?:\/\//.test(url))) return 'has an address that is none';
  if (typeof sha256 !== 'string' || !/^([0-9a-f]{64})?$/.test(sha256)) return 'has a digest that is none';
  return undefined;
}

const invalidRecord = (reason: string): BlobError =>
  new BlobError('UNEXPECTED_ANSWER', `The service's record ${reason}.`, { status: 200 });

/** Validates the result of the page's own transport, which needs only an id and a path. */
export function validateTransportResult(result: unknown): Outcome {
  const { id, path } = Object(result) as Partial<FileRecord>;
  if (typeof id === 'string' && typeof path === 'string') return result as FileRecord;
  return new BlobError('UNEXPECTED_ANSWER', 'The transport returned no record of a stored file.', { status: 200 });
}

/**
 * Validates the records of the service before files count as stored. Each record belongs to one file: a proxy or a service worker may
 * repeat an earlier response.
 */
export class RecordValidator {
  /** The file that each accepted record belongs to. A repeated request of the same file gets the same record again. */
  readonly #owners = new Map<string, string>();

  /** @param outcomes in the order of the files */
  validate(items: readonly QueueItem[], outcomes: readonly (Outcome | undefined)[]): Outcome[] {
    const validated = items.map((item, index) => this.#validateRecord(item, outcomes[index]));
    const counts = new Map<string, number>();
    for (const outcome of validated) {
      if (!(outcome instanceof BlobError)) counts.set(recordKey(outcome), (counts.get(recordKey(outcome)) ?? 0) + 1);
    }
    return validated.map((outcome, index) => {
      if (outcome instanceof BlobError) return outcome;
      const key = recordKey(outcome);
      const { id } = items[index]!;
      if (counts.get(key)! > 1 || (this.#owners.get(key) ?? id) !== id)
        return invalidRecord('was given for another file as well');
      this.#owners.set(key, id);
      return outcome;
    });
  }

  #validateRecord({ size }: QueueItem, outcome: Outcome | undefined): Outcome {
    if (outcome instanceof BlobError) return outcome;
    const problem = recordProblem(Object(outcome) as object, size);
    return problem === undefined ? outcome! : invalidRecord(problem);
  }
}

/** A file that replaces another at the same path has the same id and another date. */
const recordKey = ({ id, updated_at, etag }: FileRecord): string => JSON.stringify([id, updated_at, etag]);
