import { html } from 'lit';
import type { Section } from '../../shell/context.js';
import './profile-section.js';
import { loadProfileTexts } from './texts/texts.js';

/** Loads the section Profile. */
export async function loadProfileSection(): Promise<Section> {
  await loadProfileTexts();
  return { render: (context, place) => html`<profile-section .context=${context} .place=${place}></profile-section>` };
}
