import { svg } from 'lit';
import { drawIcon } from '../view/icons.js';

export const editIcon = drawIcon(
  svg`<path d="M5.5 2.5v10.75c0 .7.55 1.25 1.25 1.25H17.5M2.5 5.5h10.75c.7 0 1.25.55 1.25 1.25V17.5"/>`,
);

export const rotateLeftIcon = drawIcon(svg`<path d="M4.25 8.5A6 6 0 1 1 4 11M4 4.75V8.5h3.75"/>`);

export const rotateRightIcon = drawIcon(svg`<path d="M15.75 8.5A6 6 0 1 0 16 11M16 4.75V8.5h-3.75"/>`);

export const mirrorIcon = drawIcon(svg`<path d="M10 3v14M7 5.5 2.5 14.5H7zM13 5.5l4.5 9H13z"/>`);
