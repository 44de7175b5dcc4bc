import { html } from 'lit';
import type { Section } from '../../shell/context.js';
import './files-section.js';
import { loadFilesTexts } from './texts/texts.js';

/** Loads the section that shows the files of a storage. */
export async function loadFiles(): Promise<Section> {
  await loadFilesTexts();
  return { render: (context, place) => html`<files-section .context=${context} .place=${place}></files-section>` };
}
