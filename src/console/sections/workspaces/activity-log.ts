import type { Api } from '../../api/api.js';
import { isAbort } from '../../api/api-error.js';
import { activityQuery } from './activity-filter.js';
import type { ActivityFilter } from './activity-filter.js';
import type { Activity } from './records.js';

interface Page {
  activities: Activity[];
  cursor: string | null;
}

const PAGE_SIZE = 100;
/** Pages that one step reads at most while no entry fits the filter. The person may continue. */
const PAGES_OF_A_STEP = 25;

/** The entries of an activity log that fit a filter, newest first. */
export class ActivityEntries {
  entries: Activity[] = [];
  isLoading = false;
  error: unknown;
  readonly #stop = new AbortController();
  #cursor: string | null | undefined;

  /** @param changed called after each page */
  constructor(
    private readonly api: Api,
    readonly path: string,
    readonly filter: ActivityFilter,
    private readonly changed: () => void,
  ) {}

  get hasMore(): boolean {
    return this.#cursor !== null;
  }

  stop(): void {
    this.#stop.abort();
  }

  /** Reads on until an entry fits, the log ends, or the step is long enough: a page of a search in a long log may be empty. */
  loadMore = async (): Promise<void> => {
    if (this.isLoading || !this.hasMore) return;
    this.isLoading = true;
    this.error = undefined;
    this.changed();
    try {
      const before = this.entries.length;
      for (let page = 0; page < PAGES_OF_A_STEP && this.entries.length === before && this.hasMore; page++) await this.#loadPage();
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
      query: { ...activityQuery(this.filter), limit: PAGE_SIZE, cursor: this.#cursor ?? undefined },
    });
    this.entries = [...this.entries, ...activities];
    this.#cursor = cursor;
  }
}
