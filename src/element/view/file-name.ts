import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import type { UploadItem } from '../../queue/types.js';
import { splitName } from '../../protocol/file-names.js';
import { drawable } from '../../protocol/display-text.js';

const TAIL = 4;
const MAX_ENDING = 10;

/** Cuts a name so that the part before the last few characters may shrink and its extension stays. */
export function splitFileName(name: string): { head: string; tail: string } {
  const { stem, ending } = splitName(name);
  const kept = ending.length <= MAX_ENDING ? ending : '';
  const characters = [...new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(kept === '' ? name : stem)];
  const at = characters[characters.length - TAIL]?.index ?? 0;
  return { head: name.slice(0, at), tail: name.slice(at) };
}

/** A file as people are told of it: its name, in a chosen folder with its place there. */
export const displayName = ({ name, relativePath }: UploadItem): string => drawable(relativePath || name, '\ufffd');

/** Drawn in two pieces; what is heard, found, marked and copied lies over them in one, unseen. */
export function renderFileName(item: UploadItem): TemplateResult {
  const whole = displayName(item);
  const at = whole.lastIndexOf('/') + 1;
  const name = whole.slice(at);
  const { head, tail } = splitFileName(name);
  return html`<span part="name" class="path" dir="auto" title=${whole}
    >${at > 0 ? html`<span class="head muted">${whole.slice(0, at)}</span>` : nothing}<span class="name" dir="auto"
      ><span class="whole">${name}</span><span class="head" data-text=${head} aria-hidden="true"></span
      ><span class="tail" data-text=${tail} aria-hidden="true"></span></span
  ></span>`;
}
