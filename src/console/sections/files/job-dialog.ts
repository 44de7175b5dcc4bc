import { html, nothing } from 'lit';
import type { Api } from '../../api/api.js';
import { isAbort } from '../../api/api-error.js';
import { errorLine } from '../../components/describe-error.js';
import { openDialog } from '../../components/open-dialog.js';
import type { OpenDialog } from '../../components/open-dialog.js';
import { showToast } from '../../components/toast.js';
import { formatNumber } from '../../texts/format.js';
import { texts } from '../../texts/texts.js';
import { cancelJob, runJob } from './jobs.js';
import type { Job, JobSpec } from './jobs.js';
import { filesTexts } from './texts/texts.js';

/** Time after which a running job gets a dialog, ms. Most jobs end earlier. */
const PATIENCE_MS = 900;

/**
 * Runs jobs one after the other. A dialog shows the progress of a long one; the job continues if the dialog is closed, and a message reports
 * its end.
 */
export async function runJobs(storage: Api, heading: string, specs: readonly JobSpec[], doneText: string): Promise<void> {
  let current: Job | undefined;
  let dialog: OpenDialog | undefined;
  let isOpen = false;
  let isCancelled = false;
  const timer = setTimeout(() => {
    isOpen = true;
    void openDialog(heading, (opened) => {
      dialog = opened;
      return progress(
        current,
        () => {
          isCancelled = true;
          if (current) void cancelJob(storage, current.id).catch(() => {});
        },
        () => opened.close(),
      );
    }).then(() => (isOpen = false));
  }, PATIENCE_MS);
  let failed = 0;
  let firstFailure = '';
  try {
    for (const spec of specs) {
      if (isCancelled) break;
      const job = await runJob(storage, spec, (update) => ((current = update), dialog?.update()), new AbortController().signal);
      failed += job.failed;
      firstFailure ||= job.failures[0] ? `${job.failures[0].path}: ${job.failures[0].message}` : '';
    }
    if (failed > 0) showToast({ kind: 'problem', text: `${filesTexts.job.failed(formatNumber(failed))} ${firstFailure}` });
    else showToast({ text: isCancelled ? filesTexts.job.cancelled : doneText });
  } catch (error) {
    if (!isAbort(error)) showToast({ kind: 'problem', text: errorLine(error) });
  } finally {
    clearTimeout(timer);
    if (isOpen) dialog?.close();
    dispatchEvent(new Event('files-changed'));
  }
}

function progress(job: Job | undefined, cancel: () => void, hide: () => void) {
  const done = job?.done ?? 0;
  const total = job?.total ?? null;
  const text = total === null ? filesTexts.job.counting : filesTexts.job.progress(formatNumber(done), formatNumber(total));
  return html`<p role="status">${text}</p>
    <progress aria-label=${text} max=${total ?? nothing} value=${total === null ? nothing : done}></progress>
    <p class="hint">${filesTexts.job.continues}</p>
    <button slot="actions" @click=${hide}>${texts.close}</button>
    <button slot="actions" class="danger" @click=${cancel}>${filesTexts.job.stop}</button>`;
}
