import type { FileRecord, StoredFile } from '../../protocol/types.js';
import { encodeState, toFormValue } from './form-value.js';

/** With more stored files than this, the value is rebuilt at intervals instead of once per file. */
export const MAX_IMMEDIATE_FILES = 200;
const REBUILD_INTERVAL_MS = 250;
/** With that many files, the state for Back is written after a pause, because encoding thousands takes tens of milliseconds. */
const STATE_DELAY_MS = 600;

/** The state of the element that `FormValueWriter` reads. */
export interface FormValueSource {
  readonly internals: ElementInternals;
  name(): string;
  records(): readonly FileRecord[];
  storedFiles(): readonly StoredFile[];
  /** Adds the fields of all stored files, or replaces those that the data has. */
  setFields(data: FormData): void;
}

/**
 * Hands the stored files to the form as its value. `append` costs O(1) however many files there are: the value is rebuilt later, and
 * a form that is read before that gets the missing entries from `appendPending`.
 */
export class FormValueWriter {
  /** Stored files that the form's value does not contain yet. */
  #pending: FileRecord[] = [];
  #rebuildTimer: ReturnType<typeof setTimeout> | undefined;
  #stateTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly source: FormValueSource) {}

  /** Writes the whole value now. */
  write(): void {
    const isLarge = this.source.records().length > MAX_IMMEDIATE_FILES;
    this.#setFormValue(!isLarge);
    if (isLarge) this.#stateTimer = setTimeout(() => this.#setFormValue(true), STATE_DELAY_MS);
  }

  /** @param count number of stored files, with this one */
  append(record: FileRecord, count: number): void {
    if (count <= MAX_IMMEDIATE_FILES) return this.write();
    this.#pending.push(record);
    this.#rebuildTimer ??= setTimeout(() => this.write(), REBUILD_INTERVAL_MS);
  }

  /** Adds the entries that the value lacks to the data of a form that is being read. */
  appendPending(data: FormData): void {
    for (const record of this.#pending) data.append(this.source.name(), record.path);
    if (this.#pending.length > 0) this.source.setFields(data);
  }

  /** Writes what timers would have written later. No timer outlives the element in the page. */
  flush(): void {
    if (this.#rebuildTimer !== undefined || this.#stateTimer !== undefined) this.#setFormValue(true);
  }

  #setFormValue(withState: boolean): void {
    clearTimeout(this.#rebuildTimer);
    clearTimeout(this.#stateTimer);
    this.#rebuildTimer = this.#stateTimer = undefined;
    this.#pending = [];
    const { source } = this;
    const records = source.records();
    // An empty list saves no state, so that it starts as the page defines it.
    const hasState = withState && source.internals.form !== null && records.length > 0;
    const data = toFormValue(source.name(), records);
    if (data) source.setFields(data);
    source.internals.setFormValue(data, hasState ? encodeState(source.storedFiles()) : null);
  }
}
