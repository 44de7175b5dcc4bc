import { html, svg } from 'lit';
import type { TemplateResult } from 'lit';

/** Paths of the icons in a square of 24, drawn with a round pen. */
const PATHS = {
  files: svg`<path d="M3.5 7a2 2 0 0 1 2-2h4l2 2.5h7a2 2 0 0 1 2 2V17a2 2 0 0 1-2 2h-13a2 2 0 0 1-2-2z"/>`,
  folder: svg`<path d="M3.5 7a2 2 0 0 1 2-2h4l2 2.5h7a2 2 0 0 1 2 2V17a2 2 0 0 1-2 2h-13a2 2 0 0 1-2-2z"/>`,
  file: svg`<path d="M13.5 3.5h-6a2 2 0 0 0-2 2v13a2 2 0 0 0 2 2h9a2 2 0 0 0 2-2v-10zm0 0v5h5"/>`,
  image: svg`<path d="M5.5 4.5h13a1 1 0 0 1 1 1v13a1 1 0 0 1-1 1h-13a1 1 0 0 1-1-1v-13a1 1 0 0 1 1-1zM4.5 16l4.5-4.5 8 8M14 14l2-2 3.5 3.5M15 8.75h.01"/>`,
  video: svg`<path d="M4.5 5.5h15v13h-15zM10 9.25v5.5l4.75-2.75z"/>`,
  audio: svg`<path d="M9 17.5V6l10-2v11.5M9 17.5a2.5 2.5 0 1 1-5 0 2.5 2.5 0 0 1 5 0zm10-2a2.5 2.5 0 1 1-5 0 2.5 2.5 0 0 1 5 0z"/>`,
  archive: svg`<path d="M4 5h16v4H4zM5.5 9v10h13V9M10 13h4"/>`,
  menu: svg`<path d="M4 7h16M4 12h16M4 17h16"/>`,
  more: svg`<path d="M12 6h.01M12 12h.01M12 18h.01" stroke-width="2.75"/>`,
  close: svg`<path d="m6 6 12 12M18 6 6 18"/>`,
  search: svg`<path d="m20 20-4.5-4.5M17.5 11a6.5 6.5 0 1 1-13 0 6.5 6.5 0 0 1 13 0z"/>`,
  upload: svg`<path d="M12 16V4.5M7 9l5-5 5 5M4.5 15.5v3a1.5 1.5 0 0 0 1.5 1.5h12a1.5 1.5 0 0 0 1.5-1.5v-3"/>`,
  download: svg`<path d="M12 4.5V16M7 11.5l5 5 5-5M4.5 17.5v1a1.5 1.5 0 0 0 1.5 1.5h12a1.5 1.5 0 0 0 1.5-1.5v-1"/>`,
  plus: svg`<path d="M12 5v14M5 12h14"/>`,
  newFolder: svg`<path d="M3.5 7a2 2 0 0 1 2-2h4l2 2.5h7a2 2 0 0 1 2 2V17a2 2 0 0 1-2 2h-13a2 2 0 0 1-2-2zM12 10.5v5M9.5 13h5"/>`,
  trash: svg`<path d="M4.5 6.5h15M9 6.5v-2h6v2M6.5 6.5l.75 13h9.5l.75-13M10 10.5v5M14 10.5v5"/>`,
  edit: svg`<path d="m4.5 19.5 1-4L16 5a1.75 1.75 0 0 1 2.5 0l.5.5a1.75 1.75 0 0 1 0 2.5L8.5 18.5z"/>`,
  move: svg`<path d="M4 12h15M14 7l5 5-5 5"/>`,
  copy: svg`<path d="M9 9h10.5v10.5H9zM15 9V4.5H4.5V15H9"/>`,
  share: svg`<path d="M10 14a4 4 0 0 0 5.75 0l3-3A4 4 0 1 0 13 5.25l-1 1M14 10a4 4 0 0 0-5.75 0l-3 3A4 4 0 1 0 11 18.75l1-1"/>`,
  info: svg`<path d="M12 11v5.5M12 7.75h.01M20.5 12a8.5 8.5 0 1 1-17 0 8.5 8.5 0 0 1 17 0z"/>`,
  key: svg`<path d="M14.5 15.5a5 5 0 1 0-4.75-3.5L4 17.75V20.5h3v-2h2v-2h2l1.25-1.25c.7.17 1.5.25 2.25.25zM15.75 8.25h.01"/>`,
  link: svg`<path d="M10 14a4 4 0 0 0 5.75 0l3-3A4 4 0 1 0 13 5.25l-1 1M14 10a4 4 0 0 0-5.75 0l-3 3A4 4 0 1 0 11 18.75l1-1"/>`,
  globe: svg`<path d="M20.5 12a8.5 8.5 0 1 1-17 0 8.5 8.5 0 0 1 17 0zM3.5 12h17M12 3.5c3 3.5 3 13.5 0 17-3-3.5-3-13.5 0-17z"/>`,
  chart: svg`<path d="M4.5 19.5h15M7 16v-5M12 16V5M17 16V9"/>`,
  users: svg`<path d="M12.5 8a3.5 3.5 0 1 1-7 0 3.5 3.5 0 0 1 7 0zM2.5 19.5c.5-3.5 3-5.5 6.5-5.5s6 2 6.5 5.5M15.5 4.75a3.5 3.5 0 0 1 0 6.5M18 14.5c2 .75 3.25 2.5 3.5 5"/>`,
  webhook: svg`<path d="M13 3.5 5.5 13.5H11l-1 7 7.5-10H12z"/>`,
  settings: svg`<path d="M4 7.5h9M17 7.5h3M4 16.5h3M11 16.5h9M17 7.5a2 2 0 1 1-4 0 2 2 0 0 1 4 0zM11 16.5a2 2 0 1 1-4 0 2 2 0 0 1 4 0z"/>`,
  activity: svg`<path d="M3.5 12h4l3-7 4 14 2.5-7h3.5"/>`,
  check: svg`<path d="m5 12.5 4.5 4.5L19 7.5"/>`,
  chevron: svg`<path d="m9 5.5 6.5 6.5L9 18.5"/>`,
  sort: svg`<path d="m7 14 5 5 5-5M12 5v14"/>`,
  choose: svg`<path d="m8 9.5 4-4 4 4M8 14.5l4 4 4-4"/>`,
  grid: svg`<path d="M4.5 4.5h6v6h-6zM13.5 4.5h6v6h-6zM4.5 13.5h6v6h-6zM13.5 13.5h6v6h-6z"/>`,
  list: svg`<path d="M8.5 6.5h11M8.5 12h11M8.5 17.5h11M4.5 6.5h.01M4.5 12h.01M4.5 17.5h.01"/>`,
  refresh: svg`<path d="M19.5 12a7.5 7.5 0 1 1-2.2-5.3l2.2 2.3M19.5 4.5V9H15"/>`,
  warning: svg`<path d="M12 4 2.75 20h18.5zM12 10v4.5M12 17.25h.01"/>`,
  offline: svg`<path d="M4 4l16 16M8.5 15.5a5 5 0 0 1 6 0M5.5 12a9.5 9.5 0 0 1 4-2.25M14 9.5a9.5 9.5 0 0 1 4.5 2.5M2.75 8.5A14 14 0 0 1 6.5 6M10.5 4.75A14 14 0 0 1 21.25 8.5M12 19h.01"/>`,
  lock: svg`<path d="M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3"/>`,
  signOut: svg`<path d="M10 4.5H6A1.5 1.5 0 0 0 4.5 6v12A1.5 1.5 0 0 0 6 19.5h4M9.5 12h10M15.5 8l4 4-4 4"/>`,
  help: svg`<path d="M9.5 9.5A2.5 2.5 0 1 1 12 12v2M12 17.25h.01M20.5 12a8.5 8.5 0 1 1-17 0 8.5 8.5 0 0 1 17 0z"/>`,
  theme: svg`<path d="M12 3.5a8.5 8.5 0 1 0 0 17zM12 3.5a8.5 8.5 0 0 1 0 17"/>`,
  code: svg`<path d="m8.5 7-5 5 5 5M15.5 7l5 5-5 5"/>`,
  inbox: svg`<path d="M4 13.5 6.5 5h11L20 13.5V19H4zM4 13.5h4.5l1 2.5h5l1-2.5H20"/>`,
};

export type IconName = keyof typeof PATHS;

/** Draws an icon that screen readers skip. The button around it needs a name. */
export const icon = (name: IconName): TemplateResult =>
  html`<svg class="icon-sign" viewBox="0 0 24 24" aria-hidden="true">${PATHS[name]}</svg>`;
