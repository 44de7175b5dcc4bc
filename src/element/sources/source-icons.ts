import { svg } from 'lit';
import type { TemplateResult } from 'lit';
import { drawIcon } from '../view/icons.js';
import type { Choice } from './offered-choices.js';

export const choiceIcons: Readonly<Record<Choice, TemplateResult>> = {
  device: drawIcon(
    svg`<path d="M2.75 15.25V5c0-.7.55-1.25 1.25-1.25h3.5l1.75 2H16c.7 0 1.25.55 1.25 1.25v8.25c0 .55-.45 1-1 1H3.75c-.55 0-1-.45-1-1z"/>`,
  ),
  photo: drawIcon(
    svg`<path d="M3.75 5.75h2.5l1.5-2h4.5l1.5 2h2.5c.55 0 1 .45 1 1v8.5c0 .55-.45 1-1 1H3.75c-.55 0-1-.45-1-1v-8.5c0-.55.45-1 1-1z"/><circle cx="10" cy="10.75" r="2.9"/>`,
  ),
  video: drawIcon(
    svg`<rect x="2.25" y="5" width="10.5" height="10" rx="1.5"/><path d="m12.75 9 4.2-2.5c.35-.2.8.05.8.45v6.1c0 .4-.45.65-.8.45L12.75 11z"/>`,
  ),
  screen: drawIcon(svg`<rect x="2.25" y="3.75" width="15.5" height="10.25" rx="1.5"/><path d="M7 16.75h6M10 14v2.75"/>`),
  link: drawIcon(
    svg`<path d="M8.25 11.75a3.25 3.25 0 0 0 4.9.35l2.4-2.4a3.25 3.25 0 0 0-4.6-4.6l-1.35 1.35M11.75 8.25a3.25 3.25 0 0 0-4.9-.35l-2.4 2.4a3.25 3.25 0 0 0 4.6 4.6l1.35-1.35"/>`,
  ),
  sound: drawIcon(
    svg`<rect x="7.5" y="2.5" width="5" height="9" rx="2.5"/><path d="M4.75 9.5a5.25 5.25 0 0 0 10.5 0M10 14.75v2.75"/>`,
  ),
};
