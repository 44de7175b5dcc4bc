import { html } from 'lit';
import type { Api } from '../../api/api.js';
import { choice, openForm, textField, textOf } from '../../components/form.js';
import { openRotationForm } from '../../components/rotation-form.js';
import { openCopyDialog } from '../../components/secret-dialog.js';
import { PathSuggestions } from './fields.js';
import { EVENTS } from './records.js';
import type { EventName, Webhook, WebhookWithSecret } from './records.js';
import { sharingTexts } from './texts/texts.js';

/** Opens the form of a webhook. @param webhook the one to change. @returns undefined if the person closed it */
export async function openWebhookForm<Result extends Webhook>(storage: Api, webhook?: Webhook): Promise<Result | undefined> {
  const { webhooks } = sharingTexts;
  const { form: labels } = webhooks;
  const stop = new AbortController();
  const suggestions = new PathSuggestions(storage, stop.signal);
  const chosen = new Set<EventName>(webhook?.events ?? ['file.created']);
  const result = await openForm(webhook ? webhooks.change : webhooks.create, {
    submit: webhook ? sharingTexts.save : webhooks.submit,
    size: '36rem',
    fields: (form) => {
      const problem = form.errorOf('events');
      return html`${textField(form, {
          name: 'url',
          label: labels.url,
          hint: labels.urlHint,
          type: 'url',
          placeholder: 'https://example.com/webhooks',
          value: webhook?.url ?? '',
          isFocused: true,
        })}
        <fieldset>
          <legend>${labels.events}</legend>
          ${EVENTS.map((event) =>
            choice({
              name: 'events',
              value: event,
              label: webhooks.events[event],
              hint: event,
              isChecked: chosen.has(event),
              changed: (isChecked) => void (isChecked ? chosen.add(event) : chosen.delete(event)),
            }),
          )}
          ${problem === undefined ? '' : html`<span class="error" role="alert">${problem}</span>`}
        </fieldset>
        ${suggestions.field(form, {
          name: 'prefix',
          label: sharingTexts.columns.folder,
          hint: labels.folderHint,
          value: webhook?.prefix ?? '',
        })}
        ${textField(form, { name: 'description', label: labels.description, value: webhook?.description ?? '' })}`;
    },
    send: (data, signal) => {
      const body = {
        url: textOf(data, 'url'),
        events: EVENTS.filter((event) => chosen.has(event)),
        prefix: textOf(data, 'prefix'),
        description: textOf(data, 'description'),
      };
      return webhook
        ? storage.patch<Result>(`/v1/webhooks/${webhook.id}`, { body, signal })
        : storage.post<Result>('/v1/webhooks', { body, signal });
    },
  });
  stop.abort();
  return result;
}

/** Asks for the overlap, and replaces the secret of a webhook. */
export function openSecretRotation(storage: Api, { id }: Webhook): Promise<WebhookWithSecret | undefined> {
  const { rotation } = sharingTexts.webhooks;
  return openRotationForm(rotation.heading, rotation, 'overlap', (overlap, signal) =>
    storage.post<WebhookWithSecret>(`/v1/webhooks/${id}/rotate`, { body: { overlap }, signal }),
  );
}

/** Shows the secret of a webhook, which cannot be read again. */
export const showWebhookSecret = ({ secret }: WebhookWithSecret): Promise<void> => {
  const { webhooks } = sharingTexts;
  return openCopyDialog(webhooks.secretHeading, {
    warning: webhooks.once,
    text: webhooks.secretText,
    items: [{ label: webhooks.secret, value: secret }],
    close: sharingTexts.copied,
  });
};
