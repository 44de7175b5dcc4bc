import { html, nothing } from 'lit';
import type { Api } from '../../api/api.js';
import { isAbort } from '../../api/api-error.js';
import { codeText, errorLine } from '../../components/describe-error.js';
import { openDialog } from '../../components/open-dialog.js';
import type { OpenDialog } from '../../components/open-dialog.js';
import { showToast } from '../../components/toast.js';
import { formatNumber } from '../../texts/format.js';
import { texts } from '../../texts/texts.js';
import { cancelJob, progressText, runJob } from './jobs.js';
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
  /** Whether the person asked to cancel the jobs. */
  let isStopping = false;
  let isCancelled = false;
  let isDone = false;
  const cancel = (job: Job): void => void cancelJob(storage, job.id).catch(() => {});
  const report = (job: Job): void => {
    // The person may have asked before the service had created this job.
    if (isStopping && job.id !== current?.id) cancel(job);
    current = job;
    dialog?.update();
  };
  const timer = setTimeout(() => {
    isOpen = true;
    void openDialog(heading, (opened) => {
      dialog = opened;
      return progress(
        current,
        () => {
          isStopping = true;
          if (current) cancel(current);
        },
        () => opened.close(),
      );
    }).then(() => {
      isOpen = false;
      // The list of running jobs follows it now.
      if (!isDone) dispatchEvent(new Event('jobs-hidden'));
    });
  }, PATIENCE_MS);
  let failed = 0;
  const failures: Job['failures'] = [];
  try {
    for (const spec of specs) {
      const job = await runJob(storage, spec, report, new AbortController().signal);
      failed += job.failed;
      failures.push(...job.failures);
      // Other pages and people can cancel it, too.
      isCancelled = job.state === 'cancelled' || (isStopping && spec !== specs.at(-1));
      if (isCancelled) break;
    }
    if (failed > 0) showToast({ kind: 'problem', text: failureText(failed, failures) });
    else showToast({ text: isCancelled ? filesTexts.job.cancelled : doneText });
  } catch (error) {
    if (!isAbort(error)) showToast({ kind: 'problem', text: errorLine(error) });
  } finally {
    clearTimeout(timer);
    isDone = true;
    if (isOpen) dialog?.close();
    dispatchEvent(new Event('files-changed'));
  }
}

/** Describes files that were not changed. A job lists the first 100 of them. */
function failureText(count: number, failures: Job['failures']): string {
  const { skipped, failed } = filesTexts.job;
  if (failures.every(({ code }) => code === 'FILE_EXISTS')) return skipped(formatNumber(count));
  const [first] = failures;
  return first ? `${failed(formatNumber(count))} ${first.path}: ${codeText(first)}` : failed(formatNumber(count));
}

function progress(job: Job | undefined, cancel: () => void, hide: () => void) {
  const { done, total } = job ?? { done: 0, total: null };
  const text = progressText({ done, total });
  return html`<p role="status">${text}</p>
    <progress aria-label=${text} max=${total ?? nothing} value=${total === null ? nothing : done}></progress>
    <p class="hint">${filesTexts.job.continues}</p>
    <button slot="actions" @click=${hide}>${texts.close}</button>
    <button slot="actions" class="danger" @click=${cancel}>${filesTexts.job.stop}</button>`;
}
