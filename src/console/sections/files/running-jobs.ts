import { LitElement, css, html, nothing } from 'lit';
import type { PropertyValues } from 'lit';
import { property, state } from 'lit/decorators.js';
import { errorLine } from '../../components/describe-error.js';
import { showToast } from '../../components/toast.js';
import type { ConsoleContext } from '../../shell/context.js';
import { base } from '../../styles/base.js';
import { cancelJob, progressText } from './jobs.js';
import type { Job } from './jobs.js';
import { filesTexts } from './texts/texts.js';

const POLL_MS = 1500;

/**
 * Jobs of the storage that have not finished, also those that were started before the page was loaded, or by other people. A dialog shows a
 * job that this page has just started; the list looks for it when `jobs-hidden` reports that the dialog was closed.
 */
class RunningJobs extends LitElement {
  static override styles = [
    base,
    css`
      .job {
        display: grid;
        grid-template-columns: auto minmax(0, 1fr) auto;
        align-items: center;
        gap: 0.5rem 0.75rem;
        padding: 0.375rem 0.375rem 0.375rem 0.875rem;
        border: 1px solid var(--line);
        border-radius: var(--radius);
        background: var(--raised);
      }
      .job + .job {
        margin-block-start: 0.5rem;
      }
      progress {
        inline-size: 100%;
      }
      /* The text stands above the bar, and the button beside both. */
      @media (max-width: 40rem) {
        .job {
          grid-template-columns: minmax(0, 1fr) auto;
        }
        .job > span,
        progress {
          grid-column: 1;
        }
        button {
          grid-area: 1 / 2 / span 2;
        }
      }
    `,
  ];

  @property({ attribute: false }) context!: ConsoleContext;
  @state() private jobs: readonly Job[] = [];
  #stop = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;

  override connectedCallback(): void {
    super.connectedCallback();
    addEventListener('jobs-hidden', this.#load);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    removeEventListener('jobs-hidden', this.#load);
    clearTimeout(this.#timer);
    this.#stop.abort();
  }

  override willUpdate(changed: PropertyValues<this>): void {
    // An empty element would double the space between its neighbors.
    this.hidden = this.jobs.length === 0;
    if (!changed.has('context') || changed.get('context')?.storage === this.context.storage) return;
    this.jobs = [];
    void this.#load();
  }

  /** Reads the jobs, and follows them until they end. */
  #load = async (): Promise<void> => {
    clearTimeout(this.#timer);
    this.#stop.abort();
    const { signal } = (this.#stop = new AbortController());
    const query = { unfinished: true };
    const read = this.context.storage.get<{ jobs: Job[] }>('/v1/jobs', { query, signal }).catch(() => undefined);
    const jobs = (await read)?.jobs;
    if (signal.aborted) return;
    const hasEnded = jobs !== undefined && this.jobs.some(({ id }) => !jobs.some((job) => job.id === id));
    this.jobs = jobs ?? this.jobs;
    if (hasEnded) dispatchEvent(new Event('files-changed'));
    if (this.jobs.length > 0) this.#timer = setTimeout(this.#load, POLL_MS);
  };

  #cancel = async ({ id }: Job): Promise<void> => {
    try {
      await cancelJob(this.context.storage, id);
      showToast({ text: filesTexts.job.cancelled });
    } catch (error) {
      showToast({ kind: 'problem', text: errorLine(error) });
    }
    await this.#load();
  };

  override render() {
    const { types, stop, stopOf } = filesTexts.job;
    return this.jobs.map((job) => {
      const text = `${types[job.type]}: ${progressText(job)}`;
      return html`<div class="job">
        <span>${text}</span>
        <progress aria-label=${text} max=${job.total ?? nothing} value=${job.total === null ? nothing : job.done}></progress>
        ${
          this.context.mayWrite
            ? html`<button aria-label=${stopOf(types[job.type])} @click=${() => this.#cancel(job)}>${stop}</button>`
            : nothing
        }
      </div>`;
    });
  }
}
customElements.define('running-jobs', RunningJobs);
