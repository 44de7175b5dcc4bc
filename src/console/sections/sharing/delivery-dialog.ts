import { html, nothing } from 'lit';
import type { Api } from '../../api/api.js';
import { errorLine } from '../../components/describe-error.js';
import { factList } from '../../components/fact-list.js';
import { formStyles } from '../../components/form-styles.js';
import { openDialog } from '../../components/open-dialog.js';
import { copyable } from '../../components/secret-dialog.js';
import { timeLine } from '../../components/time-text.js';
import { adoptSheet } from '../../styles/adopt-base.js';
import { formatNumber } from '../../texts/format.js';
import { texts } from '../../texts/texts.js';
import type { Delivery, DeliveryWithPayload } from './records.js';
import { sharingTexts } from './texts/texts.js';

/** Describes how an attempt ended: the status of the response, or why there was none. */
export function attemptText({ status, error }: Delivery['attempts'][number]): string {
  const { delivery } = sharingTexts;
  if (status !== null) return `HTTP ${status}`;
  return delivery.problems[error as keyof typeof delivery.problems] ?? error ?? '';
}

/** Shows a delivery with its attempts and its payload. @returns whether the person wants to repeat it */
export async function openDelivery(
  storage: Api,
  path: string,
  row: Delivery,
  readOnlyReason: string | undefined,
): Promise<boolean | undefined> {
  adoptSheet(formStyles);
  const { delivery, columns } = sharingTexts;
  const stop = new AbortController();
  let shown: Delivery | DeliveryWithPayload = row;
  let problem = '';
  let load: Promise<void> | undefined;
  const answer = await openDialog<boolean>(
    row.event,
    (dialog) => {
      load ??= storage.get<DeliveryWithPayload>(path, { signal: stop.signal }).then(
        (loaded) => {
          shown = loaded;
          dialog.update();
        },
        (error: unknown) => {
          if (stop.signal.aborted) return;
          problem = errorLine(error);
          dialog.update();
        },
      );
      const payload = 'payload' in shown ? JSON.stringify(shown.payload, null, 2) : undefined;
      return html`${factList([
          [columns.state, delivery.states[shown.status]],
          [columns.created, timeLine(shown.created_at)],
          ...(shown.next_attempt_at === null ? [] : [[delivery.nextAttempt, timeLine(shown.next_attempt_at)] as const]),
          ['webhook-id', html`<code>${shown.id}</code>`],
        ])}
        <h3>${delivery.attempts}</h3>
        ${
          shown.attempts.length === 0
            ? html`<p class="muted">${delivery.notSent}</p>`
            : html`<ol class="plain-list">
                ${shown.attempts.map(
                  (attempt) =>
                    html`<li>
                      ${attemptText(attempt)} · ${delivery.duration(formatNumber(attempt.duration_ms))} ·
                      <span class="muted">${timeLine(attempt.at)}</span>
                    </li>`,
                )}
              </ol>`
        }
        ${problem === '' ? nothing : html`<p class="error" role="alert">${problem}</p>`}
        ${problem === '' ? copyable({ label: delivery.payload, value: payload ?? texts.loading }) : nothing}
        ${readOnlyReason === undefined ? nothing : html`<p class="hint">${readOnlyReason}</p>`}
        <button slot="actions" @click=${() => dialog.close()}>${texts.close}</button>
        ${
          readOnlyReason === undefined
            ? html`<button slot="actions" class="primary" @click=${() => dialog.close(true)}>${delivery.repeat}</button>`
            : nothing
        }`;
    },
    { size: '40rem' },
  );
  stop.abort();
  return answer;
}
