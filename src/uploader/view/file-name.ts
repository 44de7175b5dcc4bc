import { html } from 'lit';
import type { TemplateResult } from 'lit';
import { splitName } from '../../protocol/names.js';

const TAIL = 4;
const MAX_ENDING = 10;

/** Cuts a name so that the part before the last few characters may shrink and its extension stays. */
export function cutName(name: string): { head: string; tail: string } {
  const { stem, ending } = splitName(name);
  const kept = ending.length <= MAX_ENDING ? ending : '';
  const characters = [...new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(kept === '' ? name : stem)];
  const at = characters[characters.length - TAIL]?.index ?? 0;
  return { head: name.slice(0, at), tail: name.slice(at) };
}

export function fileName(name: string): TemplateResult {
  const { head, tail } = cutName(name);
  return html`<span part="name" class="name" dir="auto" title=${name}
    ><span class="head">${head}</span><span class="tail">${tail}</span></span
  >`;
}
