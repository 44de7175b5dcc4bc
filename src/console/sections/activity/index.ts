import { html } from 'lit';
import type { Section } from '../../shell/context.js';
import { loadWorkspacesTexts } from '../workspaces/texts/texts.js';

/** Loads the section with the activity log of the own account. It has the page and the texts of the logs of workspaces. */
export async function loadActivity(): Promise<Section> {
  await loadWorkspacesTexts();
  await import('../workspaces/activity-page.js');
  return {
    render: (context) =>
      html`<activity-page
        .source=${{ context, path: '/v1/users/me/activities', people: [[context.user.id, context.user.name]] }}
      ></activity-page>`,
  };
}
