import { byId } from '../by-id.js';

const form = (): HTMLFormElement => byId<HTMLFormElement>('place');

/** What a field or a row of radio buttons says, locked or not. */
export const value = (name: string): string => (form().elements.namedItem(name) as HTMLInputElement | RadioNodeList).value.trim();

export const field = (name: string): HTMLInputElement => form().elements.namedItem(name) as HTMLInputElement;

/** Those that name a place in another store. */
const PLACE = ['endpoint', 'bucket', 'region', 'prefix'];

export const namedPlace = (): string[] => PLACE.map(value);

export function namePlace(named: readonly string[]): void {
  for (const [at, name] of PLACE.entries()) field(name).value = named[at]!;
}

/** A reload is gone on with at the same place, which is not to be typed again; the keys are. A browser may refuse to remember. */
const STORED = 'admin-place';

export function rememberPlace(): void {
  try {
    if (isOwn()) sessionStorage.removeItem(STORED);
    else sessionStorage.setItem(STORED, JSON.stringify(namedPlace()));
  } catch {}
}

export function recallPlace(): void {
  try {
    const stored = sessionStorage.getItem(STORED);
    if (stored === null) return;
    namePlace(JSON.parse(stored) as string[]);
    form().querySelector<HTMLInputElement>('[name=store][value=other]')!.checked = true;
  } catch {}
}

export const isOwn = (): boolean => value('store') === 'own';

/** Shows what the chosen store asks for. */
export function showFields(): void {
  byId('own').hidden = !isOwn();
  byId('other').hidden = isOwn();
  byId('key-fields').hidden = isOwn();
  byId('connect').hidden = isOwn();
  // What is not seen is not to be held against the form.
  for (const name of PLACE) field(name).disabled = isOwn();
}

/**
 * What is on its way goes where it was begun to go.
 * @param isWaiting it waits for other keys, which may be given meanwhile
 */
export function lockFields(isLocked: boolean, isWaiting: boolean): void {
  byId<HTMLFieldSetElement>('place-fields').disabled = isLocked;
  byId<HTMLFieldSetElement>('key-fields').disabled = byId<HTMLButtonElement>('connect').disabled = isLocked && !isWaiting;
}
