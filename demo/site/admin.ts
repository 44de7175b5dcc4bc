import { s3Transport } from '../../src/bulk/index.js';
import type { S3Transport } from '../../src/bulk/index.js';
import type { SvcUploader } from '../../src/element/svc-uploader.js';
import { showUnfinishedTransfer } from './admin/unfinished-transfer.js';
import { listFailures } from './admin/failure-list.js';
import { usesLocalStore, lockFields, readLocation, writeLocation, restoreLocation, saveLocation, showFields, fieldValue } from './admin/location-form.js';
import { KeyFields } from './admin/key-fields.js';
import { TransferLog } from './admin/transfer-log.js';
import { connectToOtherStore, connectToLocalStore, revokeLocalKeys } from './admin/connect.js';
import type { Connection } from './admin/connect.js';
import { ErrorPanel } from './admin/error-panel.js';
import { showMessage, describeError } from './admin/messages.js';
import { byId } from './by-id.js';

const uploader = byId<SvcUploader>('uploader');
const form = byId<HTMLFormElement>('location');
const hint = uploader.getAttribute('hint')!;
const keys = new KeyFields();
const ledger = new TransferLog();
const failures = listFailures(uploader);
const trouble = new ErrorPanel(uploader, (reason) => {
  keys.forgetIfRefused(reason);
  compare();
  lock();
});

let connection: Connection | undefined;
/** What the fields said when it was made. */
let named: readonly string[] = [];
let transport: S3Transport | undefined;
/** A transfer of this visit came to its end. */
let isOver = false;
/** Of the present choice of a store: what is asked for its sake ends with it. */
let choice = new AbortController();

function lock(): void {
  // Nothing is left that wants room, or it goes on already.
  if (trouble.waitsFor === 'room' && !uploader.matches(':state(paused)')) return goOn();
  const isLocked = uploader.matches(':not(:state(empty))');
  lockFields(isLocked, trouble.waitsFor === 'entry');
  // A folder may have been read for a while when a field was edited: its files go where they were chosen to go.
  if (isLocked && isStale()) {
    writeLocation(named);
    compare();
  }
  if (!usesLocalStore()) return;
  const button = byId('connect');
  const isHidden = connection !== undefined;
  // The focus must not vanish with the button it is on.
  if (isHidden && button.matches(':focus')) uploader.focus();
  button.hidden = isHidden;
}

/** There is room now, as the person says; what finds none holds the rest once more. */
function goOn(): void {
  trouble.reset();
  uploader.resume();
}

/** Whether files may come. */
function open(isOpen: boolean): void {
  uploader.disabled = !isOpen;
  if (isOpen) uploader.hint = hint;
  else if (connection) uploader.hint = 'Connect again: “Where to” names another place now.';
  else uploader.hint = 'Connect to a store first: “Where to” says how.';
}

/** The fields name another place than files would go to. */
function isStale(): boolean {
  return connection !== undefined && readLocation().some((one, at) => one !== named[at]);
}

/** Files may come as long as the fields name the place they go to. */
function compare(): void {
  if (connection === undefined) return;
  open(!isStale());
  if (isStale()) showMessage('connection-state', 'Connect again: the fields name another place than the one that is connected.');
  // Why, and what to do, is said beside the list; that it is connected holds no longer.
  else if (trouble.waitsFor === 'entry') showMessage('connection-state', '');
  else showMessage('connection-state', connection.description, 'good');
}

/** Files go nowhere until the next store is there. */
function leave(): void {
  transport?.close();
  connection?.journal?.close(true);
  connection = transport = undefined;
  open(false);
  trouble.reset();
  isOver = false;
  byId('unfinished').hidden = true;
}

/** What can be gone on with. After a transfer, files that are done are no reason to come back, and what failed is tried again from the list. */
function lookBack(): void {
  if (connection === undefined) return;
  showUnfinishedTransfer(connection);
  if (isStale() || uploader.matches(':state(error)') || (isOver && !connection.journal?.unfinished.size))
    byId('unfinished').hidden = true;
}

/** From here on the element's files go there. */
function use(next: Connection): void {
  transport?.close();
  connection = next;
  const { transfer, location, journal } = next;
  const ifThere = fieldValue('if-there') as 'skip-same' | 'replace' | 'keep';
  transport = s3Transport(transfer, location, { ifThere, onEvent: trouble.onTransferEvent, ...(journal && { journal }) });
  uploader.transport = trouble.pauseOnBlockingErrors(failures.noting(ledger.countBytes(transport)));
  trouble.reset();
  compare();
  lock();
  lookBack();
}

/**
 * To the store that is chosen; or to the same one once more, with other keys, while its files wait.
 * @param isBeside asked for beside the list, where it is told how it goes
 */
async function connect(isBeside = false): Promise<void> {
  choice.abort();
  choice = new AbortController();
  const { signal } = choice;
  const waiting = uploader.matches(':not(:state(empty))') ? connection : undefined;
  if (waiting === undefined) leave();
  const line = isBeside && trouble.waitsFor ? 'trouble' : 'state';
  // One that was begun in the form may have been given up for this one.
  if (line === 'trouble') showMessage('connection-state', '');
  showMessage(line, 'Connecting …');
  const options = { signal, journal: waiting?.journal };
  const asked = readLocation();
  try {
    const next = await (usesLocalStore() ? connectToLocalStore(compare, options) : connectToOtherStore(keys, options));
    signal.throwIfAborted();
    named = asked;
    use(next);
    saveLocation();
    // Files held for the sake of the last one may have been taken off the list meanwhile: the next ones are not to wait.
    uploader.resume();
  } catch (error) {
    if (signal.aborted) return;
    showMessage(line, describeError(error), 'bad');
    lock();
  }
}

function turned(): void {
  showFields();
  keys.forget();
  if (usesLocalStore()) return void connect();
  choice.abort();
  leave();
  showMessage('connection-state', 'Not connected.');
}

byId('origin').textContent = location.origin;
for (const radio of form.querySelectorAll<HTMLInputElement>('[name=store]')) radio.addEventListener('change', turned);
for (const radio of form.querySelectorAll<HTMLInputElement>('[name=if-there]'))
  radio.addEventListener('change', () => connection && use(connection));
byId('other-store').addEventListener('input', () => {
  compare();
  lookBack();
});
form.addEventListener('submit', (event) => {
  event.preventDefault();
  void connect();
});
byId('error-action').addEventListener('click', () => {
  if (trouble.waitsFor === 'room') goOn();
  // Leads to the keys that are wanted.
  else if (form.reportValidity()) void connect(true);
});
byId('pick-mode').addEventListener('change', () => {
  uploader.webkitdirectory = byId('pick-mode').querySelector<HTMLInputElement>('[value=folder]')!.checked;
});
uploader.addEventListener('change', lock);
// What is going on again must not be forgotten from under its feet.
uploader.addEventListener('svc-upload-start', () => (byId('unfinished').hidden = true));
uploader.addEventListener('svc-complete', ({ detail }) => {
  // Over: what lies there is to be looked at anew the next time.
  if (detail.failed.length === 0) connection?.journal?.forgetSettled();
  isOver = true;
  lookBack();
});
// What was taken off the list is being freed.
setInterval(() => byId('unfinished').hidden || lookBack(), 1000);
addEventListener('pagehide', revokeLocalKeys);
restoreLocation();
turned();
