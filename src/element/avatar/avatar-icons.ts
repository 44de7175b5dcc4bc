import { svg } from 'lit';
import { drawIcon } from '../view/icons.js';

export const personIcon = drawIcon(
  svg`<circle cx="10" cy="7.25" r="3.25"/><path d="M3.75 16.75c.6-3.3 3-5 6.25-5s5.65 1.7 6.25 5"/>`,
);

export const pictureIcon = drawIcon(
  svg`<rect x="3" y="4" width="14" height="12" rx="1.5"/><circle cx="7.25" cy="8" r="1.25"/><path d="m3.5 14.5 4-3.75 2.75 2.5 3-3.25 3.5 3.75"/>`,
);

export const cameraIcon = drawIcon(
  svg`<path d="M3 7.25C3 6.5 3.5 6 4.25 6H6.5l1.25-1.75h4.5L13.5 6h2.25c.75 0 1.25.5 1.25 1.25v7.5c0 .75-.5 1.25-1.25 1.25H4.25C3.5 16 3 15.5 3 14.75z"/><circle cx="10" cy="10.75" r="2.75"/>`,
);
