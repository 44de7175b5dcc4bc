import { html } from 'lit';
import type { TemplateResult } from 'lit';
import './activity-page.js';
import './folders-page.js';
import './invites-page.js';
import './members-page.js';
import './roles-page.js';
import './settings-page.js';
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
      return html`<activity-page .view=${view}></activity-page>`;
    case 'settings':
      return html`<settings-page .view=${view}></settings-page>`;
  }
}
