import { s3Transport } from '../../src/s3/index.js';
import type { S3Transport } from '../../src/s3/index.js';
import type { SvcUploader } from '../../src/uploader/element.js';
import { showEarlier } from './admin/earlier.js';
import { watchFailures } from './admin/failures.js';
import { Ledger } from './admin/ledger.js';
import { connectOther, connectOwn, revokeOwn } from './admin/store.js';
import type { Connection } from './admin/store.js';
import { say, whatToDo } from './admin/words.js';
import { byId } from './by-id.js';

const uploader = byId<SvcUploader>('uploader');
const form = byId<HTMLFormElement>('place');
const ledger = new Ledger();
const failures = watchFailures(uploader);

let connection: Connection | undefined;
let transport: S3Transport | undefined;
/** A transfer of this visit came to its end. */
let isOver = false;
/** Of the present choice of a store: what is asked for its sake ends with it. */
let choice = new AbortController();

const chosen = (name: string): string => new FormData(form).get(name) as string;

/** Files go nowhere until the next store is there. @returns the signal of what is asked for its sake */
function leave(): AbortSignal {
  choice.abort();
  choice = new AbortController();
  transport?.close();
  connection?.journal?.close(true);
  connection = transport = undefined;
  uploader.disabled = true;
  isOver = false;
  byId('earlier').hidden = true;
  return choice.signal;
}

/** What can be gone on with. After a transfer, files that are done are no reason to come back. */
function lookBack(): void {
  if (connection === undefined) return;
  showEarlier(connection);
  if (isOver && !connection.journal?.unfinished.size) byId('earlier').hidden = true;
}

/** From here on the element's files go there. */
function use(next: Connection): void {
  transport?.close();
  connection = next;
  const { transfer, place, journal } = next;
  const ifThere = chosen('if-there') as 'skip-same' | 'replace' | 'keep';
  transport = s3Transport(transfer, place, { ifThere, ...(journal && { journal }) });
  uploader.transport = failures.noting(ledger.counting(transport));
  uploader.disabled = false;
  lookBack();
}

async function connect(): Promise<void> {
  const signal = leave();
  say('state', 'Connecting …');
  try {
    const isOwn = chosen('store') === 'own';
    const tell = (text: string): void => void (signal.aborted || say('state', text, 'good'));
    const next = isOwn ? await connectOwn(tell, signal) : await connectOther(form, signal);
    signal.throwIfAborted();
    use(next);
    if (!isOwn) tell(`Connected to ${next.place.bucket}/${next.place.prefix}`);
  } catch (error) {
    if (!signal.aborted) say('state', whatToDo(error), 'bad');
  }
}

function turned(): void {
  const isOwn = chosen('store') === 'own';
  byId('own').hidden = !isOwn;
  byId('other').hidden = isOwn;
  byId('connect').hidden = isOwn;
  for (const input of byId('other').querySelectorAll('input'))
    input.required = !isOwn && ['endpoint', 'bucket', 'key-id', 'secret'].includes(input.name);
  if (isOwn) return void connect();
  leave();
  say('state', 'Not connected.');
}

byId('origin').textContent = location.origin;
for (const radio of form.querySelectorAll<HTMLInputElement>('[name=store]')) radio.addEventListener('change', turned);
for (const radio of form.querySelectorAll<HTMLInputElement>('[name=if-there]'))
  radio.addEventListener('change', () => connection && use(connection));
form.addEventListener('submit', (event) => {
  event.preventDefault();
  void connect();
});
byId('pick').addEventListener('change', () => {
  uploader.webkitdirectory = byId('pick').querySelector<HTMLInputElement>('[value=folder]')!.checked;
});
uploader.addEventListener('change', () => {
  // What is on its way goes where it was begun to go.
  byId<HTMLFieldSetElement>('place-fields').disabled = uploader.matches(':not(:state(empty))');
});
// What is going on again must not be forgotten from under its feet.
uploader.addEventListener('svc-upload-start', () => (byId('earlier').hidden = true));
uploader.addEventListener('svc-complete', ({ detail }) => {
  // Over: what lies there is to be looked at anew the next time.
  if (detail.failed.length === 0) connection?.journal?.forgetSettled();
  isOver = true;
  lookBack();
});
// What was taken off the list is being freed.
setInterval(() => byId('earlier').hidden || lookBack(), 1000);
addEventListener('pagehide', revokeOwn);
turned();
