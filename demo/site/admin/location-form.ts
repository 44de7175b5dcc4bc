import { byId } from '../by-id.js';

const form = (): HTMLFormElement => byId<HTMLFormElement>('location');

/** Returns the value of a field or a group of radio buttons. */
export const fieldValue = (name: string): string =>
  (form().elements.namedItem(name) as HTMLInputElement | RadioNodeList).value.trim();

export const field = (name: string): HTMLInputElement => form().elements.namedItem(name) as HTMLInputElement;

/** Fields that name a location in another store. */
const LOCATION_FIELDS = ['endpoint', 'bucket', 'region', 'prefix'];

export const readLocation = (): string[] => LOCATION_FIELDS.map(fieldValue);

export function writeLocation(location: readonly string[]): void {
  for (const [index, name] of LOCATION_FIELDS.entries()) field(name).value = location[index]!;
}

const STORAGE_KEY = 'admin-location';

/** Saves the location for a reload. Keys are never saved. A browser may forbid storage. */
export function saveLocation(): void {
  try {
    if (usesLocalStore()) sessionStorage.removeItem(STORAGE_KEY);
    else sessionStorage.setItem(STORAGE_KEY, JSON.stringify(readLocation()));
  } catch {}
}

export function restoreLocation(): void {
  try {
    const saved = sessionStorage.getItem(STORAGE_KEY);
    if (saved === null) return;
    writeLocation(JSON.parse(saved) as string[]);
    form().querySelector<HTMLInputElement>('[name=store][value=other]')!.checked = true;
  } catch {}
}

export const usesLocalStore = (): boolean => fieldValue('store') === 'local';

/** Shows the fields that the chosen store needs. */
export function showFields(): void {
  const isLocal = usesLocalStore();
  byId('local-store').hidden = !isLocal;
  byId('other-store').hidden = isLocal;
  byId('key-fields').hidden = isLocal;
  byId('connect').hidden = isLocal;
  // Hidden fields must not make the form invalid.
  for (const name of LOCATION_FIELDS) field(name).disabled = isLocal;
}

/**
 * Locks the location while files are in the list.
 * @param acceptsKeys whether the transfer waits for other keys
 */
export function lockFields(isLocked: boolean, acceptsKeys: boolean): void {
  byId<HTMLFieldSetElement>('location-fields').disabled = isLocked;
  byId<HTMLFieldSetElement>('key-fields').disabled = isLocked && !acceptsKeys;
  byId<HTMLButtonElement>('connect').disabled = isLocked && !acceptsKeys;
}
