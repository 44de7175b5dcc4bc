import { adoptBase } from './styles/adopt-base.js';
import { applyTheme } from './shell/theme.js';
import { loadTexts } from './texts/texts.js';

adoptBase();
applyTheme();
await loadTexts();
// Elements read texts while they render, so the frame loads last.
await import('./shell/console-app.js');
