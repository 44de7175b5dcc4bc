import { byId } from '../by-id.js';

const form = (): HTMLFormElement => byId<HTMLFormElement>('location');

/** What a field or a row of radio buttons says, locked or not. */
export const fieldValue = (name: string): string => (form().elements.namedItem(name) as HTMLInputElement | RadioNodeList).value.trim();

export const field = (name: string): HTMLInputElement => form().elements.namedItem(name) as HTMLInputElement;

/** Those that name a place in another store. */
const LOCATION_FIELDS = ['endpoint', 'bucket', 'region', 'prefix'];

export const readLocation = (): string[] => LOCATION_FIELDS.map(fieldValue);

export function writeLocation(named: readonly string[]): void {
  for (const [at, name] of LOCATION_FIELDS.entries()) field(name).value = named[at]!;
}

/** A reload is gone on with at the same place, which is not to be typed again; the keys are. A browser may refuse to remember. */
const STORAGE_KEY = 'admin-place';

export function saveLocation(): void {
  try {
    if (usesLocalStore()) sessionStorage.removeItem(STORAGE_KEY);
    else sessionStorage.setItem(STORAGE_KEY, JSON.stringify(readLocation()));
  } catch {}
}

export function restoreLocation(): void {
  try {
    const stored = sessionStorage.getItem(STORAGE_KEY);
    if (stored === null) return;
    writeLocation(JSON.parse(stored) as string[]);
    form().querySelector<HTMLInputElement>('[name=store][value=other]')!.checked = true;
  } catch {}
}

export const usesLocalStore = (): boolean => fieldValue('store') === 'own';

/** Shows what the chosen store asks for. */
export function showFields(): void {
  byId('local-store').hidden = !usesLocalStore();
  byId('other-store').hidden = usesLocalStore();
  byId('key-fields').hidden = usesLocalStore();
  byId('connect').hidden = usesLocalStore();
  // What is not seen is not to be held against the form.
  for (const name of LOCATION_FIELDS) field(name).disabled = usesLocalStore();
}

/**
 * What is on its way goes where it was begun to go.
 * @param isWaiting it waits for other keys, which may be given meanwhile
 */
export function lockFields(isLocked: boolean, isWaiting: boolean): void {
  byId<HTMLFieldSetElement>('location-fields').disabled = isLocked;
  byId<HTMLFieldSetElement>('key-fields').disabled = byId<HTMLButtonElement>('connect').disabled = isLocked && !isWaiting;
}
