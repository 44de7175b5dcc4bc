import { html } from 'lit';
import type { Section } from '../../shell/context.js';
import './workspaces-section.js';
import { loadWorkspacesTexts } from './texts/texts.js';

/** Loads the section Workspaces. */
export async function loadWorkspaces(): Promise<Section> {
  await loadWorkspacesTexts();
  return { render: (context, place) => html`<workspaces-section .context=${context} .place=${place}></workspaces-section>` };
}
