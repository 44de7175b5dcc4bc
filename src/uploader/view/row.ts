import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import type { UploadItem } from '../../engine/types.js';
import { extensionOf } from '../../protocol/names.js';
import type { Words } from '../locale/words.js';
import { fileName } from './file-name.js';
import { icons } from './icons.js';
import { statusOf } from './status.js';

export interface RowContext {
  words: Words;
  now: number;
  readOnly: boolean;
  onRetry: (id: string) => void;
  onRemove: (id: string) => void;
}

/** One file: what it is, how far it is, what can be done. */
export function row(item: UploadItem, index: number, count: number, context: RowContext): TemplateResult {
  const { words } = context;
  const status = statusOf(item, words, context.now);
  const settled = status.tone === 'done' || status.tone === 'problem';
  return html`<li part="file" class="row ${status.tone}" data-id=${item.id} aria-posinset=${index + 1} aria-setsize=${count}>
    ${glyph(item)}
    <div class="words">
      ${fileName(item.name)}
      <span
        part=${status.tone === 'problem' ? 'status error' : 'status'}
        class="status"
        title=${status.tone === 'problem' ? status.text : nothing}
      >
        ${status.tone === 'done' ? icons.done : status.tone === 'problem' ? icons.problem : nothing}<span>${status.text}</span>
      </span>
    </div>
    <div class="actions">
      ${
        status.canRetry && !context.readOnly
          ? html`<button
              part="retry-button"
              class="icon"
              type="button"
              aria-label=${words.say('retry', { name: item.name })}
              @click=${() => context.onRetry(item.id)}
            >
              ${icons.retry}
            </button>`
          : nothing
      }
      ${
        context.readOnly
          ? nothing
          : html`<button
              part="remove-button"
              class="icon"
              type="button"
              aria-label=${words.say(settled ? 'remove' : 'cancel', { name: item.name })}
              @click=${() => context.onRemove(item.id)}
            >
              ${icons.remove}
            </button>`
      }
    </div>
    ${
      status.progress === null
        ? nothing
        : html`<progress part="progress" max="1" .value=${status.progress} aria-label=${item.name}></progress>`
    }
  </li>`;
}

function glyph({ name }: UploadItem): TemplateResult {
  const extension = extensionOf(name);
  const short = extension !== '' && extension.length <= 4;
  return html`<span part="thumbnail" class="glyph" aria-hidden="true">${short ? extension.toUpperCase() : icons.file}</span>`;
}
