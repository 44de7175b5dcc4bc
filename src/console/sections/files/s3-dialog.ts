import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import '../../components/copy-button.js';
import { errorLine } from '../../components/describe-error.js';
import { openDialog } from '../../components/open-dialog.js';
import type { OpenDialog } from '../../components/open-dialog.js';
import type { ConsoleContext } from '../../shell/context.js';
import { texts } from '../../texts/texts.js';
import type { Entry } from './entries.js';
import { s3Address, s3Commands } from './s3-commands.js';
import type { S3Place } from '../../api/records.js';
import { filesTexts } from './texts/texts.js';

/** Addresses and commands that the dialog shows. A person could not use more of them. */
const MAX_ENTRIES = 50;

/** Opens the S3 addresses of a selection, with commands that download it. @param entries none: the folder itself */
export async function openS3(context: ConsoleContext, entries: readonly Entry[], prefix: string): Promise<void> {
  const { s3 } = filesTexts;
  const stop = new AbortController();
  let place: S3Place | undefined;
  let problem = '';
  let dialog: OpenDialog | undefined;
  context.storage.get<S3Place>('/v1/s3-credentials', { signal: stop.signal }).then(
    (read) => {
      place = read;
      dialog?.update();
    },
    (error: unknown) => {
      problem = errorLine(error);
      dialog?.update();
    },
  );
  await openDialog(
    s3.heading,
    (opened) => {
      dialog = opened;
      return html`${place ? content(place, entries, prefix) : nothing}
        ${place || problem !== '' ? nothing : html`<p class="muted" role="status">${texts.loading}</p>`}
        ${problem === '' ? nothing : html`<p class="error" role="alert">${problem}</p>`}
        <button slot="actions" @click=${() => opened.close()}>${texts.close}</button>`;
    },
    { size: '42rem' },
  );
  stop.abort();
}

function content(place: S3Place, entries: readonly Entry[], prefix: string): TemplateResult {
  const { s3 } = filesTexts;
  const shown = entries.slice(0, MAX_ENTRIES);
  const keys = shown.length === 0 ? [prefix] : shown.map((entry) => (entry.kind === 'file' ? entry.file.path : entry.prefix));
  const { svcBlob, aws } = s3Commands(place, keys);
  return html`${copied(s3.address, keys.map((key) => s3Address(place, key)).join('\n'))}
    ${place.endpoint === null ? html`<p class="hint">${s3.unknownEndpoint}</p>` : copied(s3.endpoint, place.endpoint)}
    ${copied(s3.svcBlob, svcBlob)} ${copied(s3.aws, aws)}
    <p class="hint">${s3.credentials}</p>
    ${entries.length > shown.length ? html`<p class="hint">${s3.more(String(MAX_ENTRIES))}</p>` : nothing}`;
}

const copied = (label: string, text: string): TemplateResult =>
  html`<div class="field">
    <span>${label}</span>
    <div class="with-copy">
      <pre tabindex="0" aria-label=${label} role="region">${text}</pre>
      <copy-button .value=${text} .name=${label}></copy-button>
    </div>
  </div>`;
