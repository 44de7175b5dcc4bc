import type { Api } from '../../api/api.js';
import { isAbort } from '../../api/api-error.js';
import type { Activity } from './records.js';

/** Conditions for the entries that the page shows. Empty texts mean everything. */
export interface ActivityFilter {
  /** `target_type` of the entries. */
  target: string;
  author: string;
  origin: string;
  /** `2030-01-31`, in the time zone of the browser. */
  from: string;
  until: string;
}

interface Page {
  activities: Activity[];
  cursor: string | null;
}

const PAGE_SIZE = 200;
/** Pages that one step reads at most while no entry fits the filter. The person may continue. */
const PAGES_OF_A_STEP = 10;

/** The log of a workspace, newest first. The API has no filters, so the page reads the log in steps and keeps what fits. */
export class ActivityEntries {
  /** Entries that fit the filter. */
  entries: Activity[] = [];
  /** Authors and kinds of all entries that were read, for the choices of the filter. */
  readonly authors = new Map<string, string>();
  readonly targets = new Set<string>();
  read = 0;
  isLoading = false;
  error: unknown;
  readonly #stop = new AbortController();
  #cursor: string | null | undefined;

  /** @param changed called after each page */
  constructor(
    private readonly api: Api,
    private readonly path: string,
    readonly filter: ActivityFilter,
    private readonly changed: () => void,
  ) {}

  get hasMore(): boolean {
    return this.#cursor !== null;
  }

  stop(): void {
    this.#stop.abort();
  }

  /** Reads on until an entry fits, the log ends, or the step is long enough. */
  loadMore = async (): Promise<void> => {
    if (this.isLoading || !this.hasMore) return;
    this.isLoading = true;
    this.error = undefined;
    this.changed();
    try {
      const before = this.entries.length;
      for (let page = 0; page < PAGES_OF_A_STEP && this.entries.length === before && this.hasMore; page++) {
        await this.#loadPage();
        this.changed();
      }
    } catch (error) {
      if (isAbort(error)) return;
      this.error = error;
    }
    this.isLoading = false;
    this.changed();
  };

  async #loadPage(): Promise<void> {
    const { activities, cursor } = await this.api.get<Page>(this.path, {
      signal: this.#stop.signal,
      query: { limit: PAGE_SIZE, cursor: this.#cursor ?? undefined },
    });
    this.read += activities.length;
    for (const { author_id, author, target_type } of activities) {
      if (author_id !== null) this.authors.set(author_id, author ?? author_id);
      this.targets.add(target_type);
    }
    const { from, until } = this.filter;
    const first = from === '' ? -Infinity : Date.parse(`${from}T00:00:00`);
    const last = until === '' ? Infinity : Date.parse(`${until}T23:59:59.999`);
    this.entries = [
      ...this.entries,
      ...activities.filter((entry) => {
        const time = Date.parse(entry.created_at);
        return time >= first && time <= last && this.#fits(entry);
      }),
    ];
    const oldest = activities.at(-1);
    const isBeforeStart = oldest !== undefined && Date.parse(oldest.created_at) < first;
    this.#cursor = isBeforeStart ? null : cursor;
  }

  #fits({ target_type, author_id, origin }: Activity): boolean {
    const { filter } = this;
    return (
      (filter.target === '' || filter.target === target_type) &&
      (filter.author === '' || filter.author === author_id) &&
      (filter.origin === '' || filter.origin === origin)
    );
  }
}
