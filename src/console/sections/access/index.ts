import { html } from 'lit';
import type { Section } from '../../shell/context.js';
import { loadAccessTexts } from './texts/texts.js';

/** Loads the section with keys, tokens and connected applications. */
export async function loadAccess(): Promise<Section> {
  await loadAccessTexts();
  await import('./access-section.js');
  return { render: (context, place) => html`<access-section .context=${context} .place=${place}></access-section>` };
}
