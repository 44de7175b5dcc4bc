import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';

import type { Limits } from '../../queue/types.js';

interface PickerHost extends HTMLElement {
  accept: string;
  capture: string;
  webkitdirectory: boolean;
}

const stopPropagation = (event: Event): void => event.stopPropagation();

/** Renders the hidden native input that opens the browser's picker. Assistive technology sees the element instead. */
export const renderPickerInput = (
  host: PickerHost,
  { allowedExtensions, accept }: Limits,
  multiple: boolean,
  onChange: () => void,
): TemplateResult =>
  html`<input
    type="file"
    hidden
    tabindex="-1"
    aria-hidden="true"
    accept=${host.accept || (allowedExtensions?.map((extension) => extension.replace(/.*\.|^/, '.')).join() ?? accept?.join() ?? nothing)}
    capture=${host.capture || (host.hasAttribute('capture') ? '' : nothing)}
    ?multiple=${multiple}
    ?webkitdirectory=${host.webkitdirectory}
    @change=${onChange}
    @input=${stopPropagation}
    @click=${stopPropagation}
    @cancel=${() => host.dispatchEvent(new Event('cancel', { bubbles: true }))}
  />`;
