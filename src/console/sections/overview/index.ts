import { html } from 'lit';
import type { Section } from '../../shell/context.js';
import './overview-section.js';
import { loadOverviewTexts } from './texts/texts.js';

/** Loads the section Overview. */
export async function loadOverview(): Promise<Section> {
  await loadOverviewTexts();
  return { render: (context, place) => html`<overview-section .context=${context} .place=${place}></overview-section>` };
}
