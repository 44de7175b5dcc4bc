import { html, nothing } from 'lit';
import type { Api } from '../../api/api.js';
import { errorLine } from '../../components/describe-error.js';
import { factList } from '../../components/fact-list.js';
import { formStyles } from '../../components/form-styles.js';
import { icon } from '../../components/icon.js';
import { openDialog } from '../../components/open-dialog.js';
import { copyable } from '../../components/secret-dialog.js';
import { timeLine } from '../../components/time-text.js';
import { adoptSheet } from '../../styles/adopt-base.js';
import { texts } from '../../texts/texts.js';
import type { Domain } from './records.js';
import { sharingTexts } from './texts/texts.js';

/** Shows the state of a domain and its DNS record, and checks the record again. */
export async function openDomain(storage: Api, domain: Domain): Promise<void> {
  adoptSheet(formStyles);
  const { domains } = sharingTexts;
  const stop = new AbortController();
  let shown = domain;
  let isChecking = false;
  let problem = '';
  await openDialog(
    domain.host,
    (dialog) => {
      const check = async (): Promise<void> => {
        if (isChecking) return;
        isChecking = true;
        problem = '';
        dialog.update();
        try {
          // Reading a domain that is not verified looks up its record.
          shown = await storage.get<Domain>(`/v1/domains/${domain.id}`, { signal: stop.signal });
        } catch (error) {
          if (stop.signal.aborted) return;
          problem = errorLine(error);
        }
        isChecking = false;
        dialog.update();
      };
      const { dns_record: record, status, checked_at: checked } = shown;
      const isVerified = status === 'verified';
      return html`<p class="alert ${isVerified ? 'good' : ''}" role="status">
          ${icon(isVerified ? 'check' : 'warning')}
          <span>${explain(shown)}</span>
        </p>
        ${isVerified ? nothing : html`<p>${domains.recordIntro}</p>`}
        ${factList([
          [domains.type, html`<code>${record.type}</code>`],
          [domains.checked, checked === null ? sharingTexts.never : timeLine(checked)],
        ])}
        ${copyable({ label: domains.recordName, value: record.name })}
        ${copyable({ label: domains.recordValue, value: record.value })}
        ${record.found?.length ? copyable({ label: domains.foundValues, value: record.found.join('\n') }) : nothing}
        <p class="hint">${domains.pointing}</p>
        ${problem === '' ? nothing : html`<p class="error" role="alert">${problem}</p>`}
        <button slot="actions" @click=${() => dialog.close()}>${texts.close}</button>
        ${
          isVerified
            ? nothing
            : html`<button slot="actions" class="primary" aria-disabled=${isChecking ? 'true' : nothing} @click=${check}>
                ${icon('refresh')}${domains.check}
              </button>`
        }`;
    },
    { size: '38rem' },
  );
  stop.abort();
}

/** Describes the state of a domain, and what its check found. */
function explain({ status, dns_record: { found } }: Domain): string {
  const { explanations, unanswered, differs } = sharingTexts.domains;
  if (status === 'verified' || found === undefined) return explanations[status];
  if (found === null) return unanswered;
  return found.length > 0 ? differs : explanations[status];
}
