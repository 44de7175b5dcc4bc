import { s3Transport } from '../../src/bulk/index.js';
import type { S3Transport } from '../../src/bulk/index.js';
import type { SvcUploader } from '../../src/element/svc-uploader.js';
import { connectToLocalStore, connectToOtherStore, revokeLocalKeys } from './admin/connect.js';
import type { Connection } from './admin/connect.js';
import { ErrorPanel } from './admin/error-panel.js';
import { listFailures } from './admin/failure-list.js';
import { KeyFields } from './admin/key-fields.js';
import {
  fieldValue,
  lockFields,
  readLocation,
  restoreLocation,
  saveLocation,
  showFields,
  usesLocalStore,
  writeLocation,
} from './admin/location-form.js';
import { describeError, showMessage } from './admin/messages.js';
import { TransferLog } from './admin/transfer-log.js';
import { showUnfinishedTransfer } from './admin/unfinished-transfer.js';
import { byId } from './by-id.js';

const uploader = byId<SvcUploader>('uploader');
const form = byId<HTMLFormElement>('location');
const defaultHint = uploader.getAttribute('hint')!;
const keys = new KeyFields();
const transferLog = new TransferLog();
const failures = listFailures(uploader);
const errorPanel = new ErrorPanel(uploader, (reason) => {
  keys.forgetIfRefused(reason);
  showConnection();
  updateLock();
});

let connection: Connection | undefined;
/** The location fields of the connection. */
let connectedLocation: readonly string[] = [];
let transport: S3Transport | undefined;
/** Whether a transfer of this visit has finished. */
let isFinished = false;
/** Aborts when the visitor chooses another store. */
let storeChoice = new AbortController();

function updateLock(): void {
  // The list moves again, or nothing is left that needs space.
  if (errorPanel.waitsFor === 'space' && !uploader.matches(':state(paused)')) return continueTransfer();
  const isLocked = uploader.matches(':not(:state(empty))');
  lockFields(isLocked, errorPanel.waitsFor === 'access');
  // Reading a folder may have begun before the visitor edited a field. Its files go to the location that was chosen then.
  if (isLocked && isLocationEdited()) {
    writeLocation(connectedLocation);
    showConnection();
  }
  if (!usesLocalStore()) return;
  const button = byId('connect');
  const isHidden = connection !== undefined;
  // Moves the focus before its button disappears.
  if (isHidden && button.matches(':focus')) uploader.focus();
  button.hidden = isHidden;
}

/** Continues a transfer that waited for space. A file that still finds no space pauses it again. */
function continueTransfer(): void {
  errorPanel.reset();
  uploader.resume();
}

function allowFiles(isAllowed: boolean): void {
  uploader.disabled = !isAllowed;
  if (isAllowed) uploader.hint = defaultHint;
  else if (connection) uploader.hint = 'The location changed. Connect again.';
  else uploader.hint = 'Connect to a store first.';
}

const isLocationEdited = (): boolean =>
  connection !== undefined && readLocation().some((value, index) => value !== connectedLocation[index]);

/** Allows files while the fields name the connected location, and shows the state of the connection. */
function showConnection(): void {
  if (connection === undefined) return;
  allowFiles(!isLocationEdited());
  if (isLocationEdited()) showMessage('connection-state', 'The location changed. Connect again.');
  // The error panel tells what is wrong.
  else if (errorPanel.waitsFor === 'access') showMessage('connection-state', '');
  else showMessage('connection-state', connection.description, 'good');
}

function disconnect(): void {
  transport?.close();
  connection?.journal?.close(true);
  connection = transport = undefined;
  allowFiles(false);
  errorPanel.reset();
  isFinished = false;
  byId('unfinished').hidden = true;
}

/** Shows an unfinished transfer of an earlier visit. After a transfer, finished files do not count, and failed files are retried from the list. */
function showUnfinished(): void {
  if (connection === undefined) return;
  showUnfinishedTransfer(connection);
  const hasNothingToResume = isFinished && !connection.journal?.unfinished.size;
  if (isLocationEdited() || uploader.matches(':state(error)') || hasNothingToResume) byId('unfinished').hidden = true;
}

/** Sends the files of the element to a store. */
function useConnection(next: Connection): void {
  transport?.close();
  connection = next;
  const { transfer, location, journal } = next;
  const ifThere = fieldValue('if-there') as 'skip-same' | 'replace' | 'keep';
  transport = s3Transport(transfer, location, { ifThere, onEvent: errorPanel.onTransferEvent, ...(journal && { journal }) });
  uploader.transport = errorPanel.pauseOnBlockingErrors(failures.recordPaths(transferLog.countBytes(transport)));
  errorPanel.reset();
  showConnection();
  updateLock();
  showUnfinished();
}

/**
 * Connects to the chosen store, or again to the same store with other keys while its files wait.
 * @param isFromPanel whether the visitor pressed the button of the error panel, which then shows the progress
 */
async function connect(isFromPanel = false): Promise<void> {
  storeChoice.abort();
  storeChoice = new AbortController();
  const { signal } = storeChoice;
  const waiting = uploader.matches(':not(:state(empty))') ? connection : undefined;
  if (waiting === undefined) disconnect();
  const output = isFromPanel && errorPanel.waitsFor ? 'error-text' : 'connection-state';
  // Removes the message of an attempt that this one replaces.
  if (output === 'error-text') showMessage('connection-state', '');
  showMessage(output, 'Connecting …');
  const options = { signal, journal: waiting?.journal };
  const location = readLocation();
  try {
    const next = await (usesLocalStore() ? connectToLocalStore(showConnection, options) : connectToOtherStore(keys, options));
    signal.throwIfAborted();
    connectedLocation = location;
    useConnection(next);
    saveLocation();
    // The list may still be paused although its waiting files were removed.
    uploader.resume();
  } catch (error) {
    if (signal.aborted) return;
    showMessage(output, describeError(error), 'bad');
    updateLock();
  }
}

function onStoreChange(): void {
  showFields();
  keys.forget();
  if (usesLocalStore()) return void connect();
  storeChoice.abort();
  disconnect();
  showMessage('connection-state', 'Not connected.');
}

byId('origin').textContent = location.origin;
for (const radio of form.querySelectorAll<HTMLInputElement>('[name=store]')) radio.addEventListener('change', onStoreChange);
for (const radio of form.querySelectorAll<HTMLInputElement>('[name=if-there]'))
  radio.addEventListener('change', () => connection && useConnection(connection));
byId('other-store').addEventListener('input', () => {
  showConnection();
  showUnfinished();
});
form.addEventListener('submit', (event) => {
  event.preventDefault();
  void connect();
});
byId('error-action').addEventListener('click', () => {
  if (errorPanel.waitsFor === 'space') continueTransfer();
  // An incomplete form moves the focus to the missing key.
  else if (form.reportValidity()) void connect(true);
});
byId('pick-mode').addEventListener('change', () => {
  uploader.webkitdirectory = byId('pick-mode').querySelector<HTMLInputElement>('[value=folder]')!.checked;
});
uploader.addEventListener('change', updateLock);
// A transfer that continues must not be discarded.
uploader.addEventListener('svc-upload-start', () => (byId('unfinished').hidden = true));
uploader.addEventListener('svc-complete', ({ detail }) => {
  // After a complete transfer, the next one asks the store again.
  if (detail.failed.length === 0) connection?.journal?.forgetSettled();
  isFinished = true;
  showUnfinished();
});
// Removed files are freed in the background, so the text is updated every second.
setInterval(() => byId('unfinished').hidden || showUnfinished(), 1000);
addEventListener('pagehide', revokeLocalKeys);
restoreLocation();
onStoreChange();
