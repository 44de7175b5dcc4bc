import type { SvcUploader } from '../../../src/element/index.js';
import { createUploader, once, waitForPaint } from '../element/fixture.js';
import type { Attributes } from '../element/fixture.js';

export const PENDING = 'Your form will be sent when the files are uploaded.';
export const CANCELED = 'Your form was not sent because the page changed. Send it again.';

export interface Submit {
  files: FormDataEntryValue[];
  action: FormDataEntryValue | null;
  submitter: string | undefined;
}

/** Creates a form with an uploader in a fieldset and two buttons, and collects its submits. */
export async function createForm(attributes: Attributes = {}, storage = 'slow') {
  const form = document.body.appendChild(document.createElement('form'));
  form.innerHTML = `<fieldset></fieldset>
    <button id="save" name="action" value="save">Save</button><button id="publish" name="action" value="publish">Publish</button>`;
  const fieldset = form.querySelector('fieldset')!;
  const [save, publish] = form.querySelectorAll('button') as unknown as [HTMLButtonElement, HTMLButtonElement];
  const submits: Submit[] = [];
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const data = new FormData(form, event.submitter);
    submits.push({ files: data.getAll('doc'), action: data.get('action'), submitter: event.submitter?.id });
  });
  const el = await createUploader(
    { name: 'doc', multiple: true, 'submit-waits': true, ...attributes },
    { storage, parent: fieldset },
  );
  return { form, fieldset, save, publish, el, submits };
}

/** Waits until no file is queued or being sent. */
export async function waitUntilSettled(el: SvcUploader): Promise<void> {
  if (el.uploads.some(({ state }) => state.status === 'queued' || state.status === 'uploading')) await once(el, 'svc-complete');
  await waitForPaint(el);
}
