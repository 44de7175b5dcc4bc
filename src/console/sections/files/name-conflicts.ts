import { html } from 'lit';
import type { Api } from '../../api/api.js';
import { errorLine } from '../../components/describe-error.js';
import { openDialog } from '../../components/open-dialog.js';
import { showToast } from '../../components/toast.js';
import { formatNumber } from '../../texts/format.js';
import { filesTexts } from './texts/texts.js';

/** An uploaded file that has a random name, because another file has its path. */
export interface NameConflict {
  storage: Api;
  /** Id of the uploaded file. */
  id: string;
  path: string;
}

/** Paths that the dialog lists. */
const LISTED = 5;

/** Asks whether uploaded files replace the files that have their names, and does it. Otherwise both stay, or the uploaded ones go. */
export async function resolveConflicts(conflicts: readonly NameConflict[]): Promise<void> {
  const { conflict } = filesTexts;
  const rest = conflicts.length - LISTED;
  const answer = await openDialog<'replace' | 'skip'>(
    conflict.heading(formatNumber(conflicts.length)),
    (dialog) =>
      html`<p>${conflict.text}</p>
        <ul class="paths">
          ${conflicts.slice(0, LISTED).map(({ path }) => html`<li><bdi>${path}</bdi></li>`)}
        </ul>
        ${rest > 0 ? html`<p class="muted">${conflict.more(formatNumber(rest))}</p>` : ''}
        <button slot="actions" @click=${() => dialog.close('skip')}>${conflict.skip}</button>
        <button slot="actions" @click=${() => dialog.close('replace')}>${conflict.replace}</button>
        <button slot="actions" class="primary" autofocus @click=${() => dialog.close()}>${conflict.keepBoth}</button>`,
  );
  if (answer === undefined) return;
  let problem: unknown;
  for (const { storage, id, path } of conflicts) {
    const signal = AbortSignal.timeout(60_000);
    try {
      if (answer === 'skip') await storage.delete(`/v1/files/${id}`, { signal });
      else await storage.post(`/v1/files/${id}/move`, { body: { path, overwrite: true }, signal });
    } catch (error) {
      // The other files do not depend on this one.
      problem = error;
    }
  }
  if (problem === undefined) showToast({ text: conflict.done[answer](formatNumber(conflicts.length)) });
  else showToast({ kind: 'problem', text: errorLine(problem) });
  dispatchEvent(new Event('files-changed'));
}
