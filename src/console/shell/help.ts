import { html } from 'lit';
import type { TemplateResult } from 'lit';
import { openDialog } from '../components/open-dialog.js';
import { texts } from '../texts/texts.js';

/** Opens the list of keyboard shortcuts. */
export async function openHelp(): Promise<void> {
  const { title, general, keys, table, tableKeys } = texts.help;
  const line = (text: string, ...names: string[]): TemplateResult =>
    html`<div class="shortcut">
      <dt>${names.map((name) => html`<kbd>${name}</kbd> `)}</dt>
      <dd>${text}</dd>
    </div>`;
  await openDialog(
    title,
    () =>
      html`<h3>${general}</h3>
        <dl class="shortcuts">${line(keys.help, '?')}${line(keys.search, '/')}${line(keys.close, 'Esc')}</dl>
        <h3>${table}</h3>
        <dl class="shortcuts">
          ${line(tableKeys.move, '↑', '↓')}${line(tableKeys.ends, 'Home', 'End')}${line(tableKeys.open, 'Enter')}
          ${line(tableKeys.select, 'Space')}${line(tableKeys.range, 'Shift ↑', 'Shift ↓')}${line(tableKeys.all, 'Ctrl A')}
          ${line(tableKeys.menu, 'Shift F10')}
        </dl>`,
  );
}
