import { svg } from 'lit';
import { drawIcon } from '../view/icons.js';

export const previousIcon = drawIcon(svg`<path d="M12.5 4.5 7 10l5.5 5.5"/>`);

export const nextIcon = drawIcon(svg`<path d="M7.5 4.5 13 10l-5.5 5.5"/>`);
