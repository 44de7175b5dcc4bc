import { BlobError } from '../../protocol/errors.js';
import { pathProblem } from '../../protocol/paths.js';
import type { FileRecord } from '../../protocol/types.js';
import type { QueueItem } from '../queue-item.js';
import type { Outcome } from '../scheduler/retry-decision.js';

/** Why an answer of the service does not describe the file that was sent, or undefined. */
function recordProblem(answer: Partial<Record<keyof FileRecord, unknown>>, size: number): string | undefined {
  const { id, path, name, content_type: type, url, sha256 } = answer;
  if (typeof id !== 'string' || id === '') return 'has no id';
  if (typeof path !== 'string' || pathProblem(path) !== undefined) return 'has no path';
  if (typeof name !== 'string' || name === '') return 'has no name';
  if (typeof type !== 'string') return 'has no content type';
  if (answer.size !== size) return `is of a file of ${String(answer.size)} bytes, not of ${size}`;
  // Pages link to it: `javascript:` would be run.
  if (url !== null && (typeof url !== 'string' || !/^https?:\/\//.test(url))) return 'has an address that is none';
  if (typeof sha256 !== 'string' || !/^([0-9a-f]{64})?$/.test(sha256)) return 'has a digest that is none';
  return undefined;
}

const refused = (why: string): BlobError => new BlobError('UNEXPECTED_ANSWER', `The service's record ${why}.`, { status: 200 });

/** What a page's own transport returns: where the file is. It may know less of the file than the service does. */
export function validateTransportResult(answer: unknown): Outcome {
  const { id, path } = Object(answer) as Partial<FileRecord>;
  if (typeof id === 'string' && typeof path === 'string') return answer as FileRecord;
  return new BlobError('UNEXPECTED_ANSWER', 'The transport returned no record of a stored file.', { status: 200 });
}

/**
 * Checks the service's records before a file counts as uploaded. A record stands for one file: a proxy or a service worker that repeats
 * an earlier answer must not make two files of it.
 */
export class RecordValidator {
  /** The file that each accepted record belongs to. A repeated request of the same file gets the same record again. */
  readonly #owners = new Map<string, string>();

  /** @param outcomes in the order of the files */
  validate(items: readonly QueueItem[], outcomes: readonly (Outcome | undefined)[]): Outcome[] {
    const judged = items.map((item, index) => this.#judge(item, outcomes[index]));
    const counts = new Map<string, number>();
    for (const outcome of judged) {
      if (!(outcome instanceof BlobError)) counts.set(keyOf(outcome), (counts.get(keyOf(outcome)) ?? 0) + 1);
    }
    return judged.map((outcome, index) => {
      if (outcome instanceof BlobError) return outcome;
      const key = keyOf(outcome);
      const { id } = items[index]!;
      if (counts.get(key)! > 1 || (this.#owners.get(key) ?? id) !== id) return refused('was given for another file as well');
      this.#owners.set(key, id);
      return outcome;
    });
  }

  #judge({ size }: QueueItem, outcome: Outcome | undefined): Outcome {
    if (outcome instanceof BlobError) return outcome;
    const problem = recordProblem(Object(outcome) as object, size);
    return problem === undefined ? outcome! : refused(problem);
  }
}

/** A file that replaces another under the same path keeps its id, and has another date. */
const keyOf = ({ id, updated_at, etag }: FileRecord): string => JSON.stringify([id, updated_at, etag]);
