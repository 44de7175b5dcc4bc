import { Html } from '../html.js';

/** Lines of the icons, in a square of 24. */
const ICONS = {
  folder: 'M3 6.5A1.5 1.5 0 0 1 4.5 5h4l2 2.5h9A1.5 1.5 0 0 1 21 9v8.5a1.5 1.5 0 0 1-1.5 1.5h-15A1.5 1.5 0 0 1 3 17.5z',
  image: 'M4 5h16v14H4zM4 16l4.5-4.5 4 4 2.5-2.5 5 5M15.5 9.5h.01',
  audio: 'M9 17.5V6l10-2v11.5M9 17.5a2.5 2.5 0 1 1-5 0 2.5 2.5 0 0 1 5 0zM19 15.5a2.5 2.5 0 1 1-5 0 2.5 2.5 0 0 1 5 0z',
  video: 'M4 5h16v14H4zM10 9l5 3-5 3z',
  text: 'M6 3h8l4 4v14H6zM14 3v4h4M9 12h6M9 16h6',
  archive: 'M4 4h16v5H4zM5 9v11h14V9M10 13h4',
  file: 'M6 3h8l4 4v14H6zM14 3v4h4',
} as const;

export type IconName = keyof typeof ICONS;

const ARCHIVE = /(?:zip|tar|gzip|7z|rar|xz|bzip2?|zstd)(?:-compressed)?$/;

/** Chooses an icon by content type. @param essence lower-case `type/subtype` */
export function iconFor(essence: string): IconName {
  const main = essence.split('/')[0]!;
  if (main === 'image' || main === 'audio' || main === 'video') return main;
  if (main === 'text' || essence === 'application/pdf' || essence === 'application/json') return 'text';
  return ARCHIVE.test(essence) ? 'archive' : 'file';
}

/** Builds an icon that screen readers skip. */
export const icon = (name: IconName): Html =>
  new Html(
    `<svg class="icon ${name}" viewBox="0 0 24 24" aria-hidden="true"><path d="${ICONS[name]}" fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round"/></svg>`,
  );
