import { html } from 'lit';
import type { ReactiveController, ReactiveControllerHost, TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { UploadItem } from '../../engine/types.js';
import { properties } from './directives.js';
import { row } from './row.js';
import type { RowContext } from './row.js';
import { DRAWN_WHOLE, windowOf } from './window.js';

const ROW_HEIGHT = 57;
const VISIBLE_HEIGHT = 6 * ROW_HEIGHT;

/** The rows. Of a long list only those in sight are in the document, however many files there are. */
export class ListView implements ReactiveController {
  #observer: ResizeObserver | undefined;
  #observed: HTMLUListElement | undefined;
  #scrollTop = 0;
  #height = VISIBLE_HEIGHT;
  #rowHeight = ROW_HEIGHT;

  constructor(private readonly host: ReactiveControllerHost & { readonly renderRoot: ParentNode }) {
    host.addController(this);
  }

  hostDisconnected(): void {
    this.#observer?.disconnect();
    this.#observed = undefined;
  }

  hostUpdated(): void {
    const list = this.#list;
    if (list === this.#observed) return;
    this.#observer ??= new ResizeObserver(() => this.#measure());
    this.#observer.disconnect();
    this.#observed = list;
    if (list !== undefined) this.#observer.observe(list);
    else this.#scrollTop = 0;
  }

  render(items: readonly UploadItem[], label: string, context: RowContext): TemplateResult {
    const { start, end, before, after } = windowOf(items.length, this.#scrollTop, this.#height, this.#rowHeight);
    const shown = items.slice(start, end);
    return html`<ul
      part="list"
      class="list ${items.length > DRAWN_WHOLE ? 'long' : ''}"
      role="list"
      aria-label=${label}
      ${properties({ '--_before': `${before}px`, '--_after': `${after}px` })}
      @scroll=${this.#scrolled}
    >
      ${repeat(
        shown,
        (item) => item.id,
        (item, index) => row(item, start + index, items.length, context),
      )}
    </ul>`;
  }

  get #list(): HTMLUListElement | undefined {
    return this.host.renderRoot.querySelector<HTMLUListElement>('.list') ?? undefined;
  }

  readonly #scrolled = (): void => {
    this.#scrollTop = this.#list?.scrollTop ?? 0;
    this.host.requestUpdate();
  };

  #measure(): void {
    const list = this.#list;
    const first = list?.querySelector('li');
    if (list === undefined || !first) return;
    const { height } = first.getBoundingClientRect();
    if (height === this.#rowHeight && list.clientHeight === this.#height) return;
    if (height > 0) this.#rowHeight = height;
    this.#height = list.clientHeight;
    this.host.requestUpdate();
  }
}
