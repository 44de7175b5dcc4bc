import { html } from 'lit';
import type { TemplateResult } from 'lit';
import { emptyState } from '../../components/notice.js';
import './activity-page.js';
import type { ActivitySource } from './activity-page.js';
import './folders-page.js';
import './invites-page.js';
import './members-page.js';
import './roles-page.js';
import './settings-page.js';
import { workspacesTexts } from './texts/texts.js';
import type { WorkspacePage, WorkspaceView } from './workspace-view.js';

/** Renders a page of a workspace. */
export function renderPage(page: WorkspacePage, view: WorkspaceView): TemplateResult {
  switch (page) {
    case 'members':
      return html`<members-page .view=${view}></members-page>`;
    case 'roles':
      return html`<roles-page .view=${view}></roles-page>`;
    case 'invites':
      return html`<invites-page .view=${view}></invites-page>`;
    case 'folders':
      return html`<folders-page .view=${view}></folders-page>`;
    case 'activity':
      return activityPage(view);
    case 'settings':
      return html`<settings-page .view=${view}></settings-page>`;
  }
}

function activityPage(view: WorkspaceView): TemplateResult {
  const { pages, denied, lacks } = workspacesTexts;
  if (!view.may('activities:read'))
    return html`<h2>${pages.activity}</h2>
      ${emptyState('lock', { title: denied, text: lacks('activities:read') })}`;
  const { owner_id: ownerId, owner, members } = view.details;
  const source: ActivitySource = {
    context: view.context,
    path: view.path('/activities'),
    exportPath: view.path('/activities/export'),
    people: [[ownerId, owner.name], ...members.map(({ user_id: id, name }) => [id, name] as const)],
  };
  return html`<activity-page .source=${source}></activity-page>`;
}
