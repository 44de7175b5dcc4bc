import { html } from 'lit';
import type { Section } from '../../shell/context.js';
import { loadSharingTexts } from './texts/texts.js';

/** Loads the section with shares, rules, domains and webhooks. */
export async function loadSharing(): Promise<Section> {
  await loadSharingTexts();
  await import('./sharing-section.js');
  return { render: (context, place) => html`<sharing-section .context=${context} .place=${place}></sharing-section>` };
}
