import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';

import type { Limits } from '../../queue/types.js';

interface Host extends HTMLElement {
  accept: string;
  capture: string;
  webkitdirectory: boolean;
}

const stop = (event: Event): void => event.stopPropagation();

/** The native input that opens the browser's picker. Never seen, never reached: the element stands for it. */
export const renderPickerInput = (
  host: Host,
  { allowedExtensions }: Limits,
  multiple: boolean,
  onChange: () => void,
): TemplateResult =>
  html`<input
    type="file"
    hidden
    tabindex="-1"
    aria-hidden="true"
    accept=${host.accept || (allowedExtensions?.map((one) => one.replace(/.*\.|^/, '.')).join() ?? nothing)}
    capture=${host.capture || (host.hasAttribute('capture') ? '' : nothing)}
    ?multiple=${multiple}
    ?webkitdirectory=${host.webkitdirectory}
    @change=${onChange}
    @input=${stop}
    @click=${stop}
    @cancel=${() => host.dispatchEvent(new Event('cancel', { bubbles: true }))}
  />`;
