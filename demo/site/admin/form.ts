import { byId } from '../by-id.js';

const form = (): HTMLFormElement => byId<HTMLFormElement>('place');

/** What a field or a row of radio buttons says, locked or not. */
export const value = (name: string): string => (form().elements.namedItem(name) as HTMLInputElement | RadioNodeList).value.trim();

export const field = (name: string): HTMLInputElement => form().elements.namedItem(name) as HTMLInputElement;

export const isOwn = (): boolean => value('store') === 'own';

/** Shows what the chosen store asks for. */
export function showFields(): void {
  byId('own').hidden = !isOwn();
  byId('other').hidden = isOwn();
  byId('key-fields').hidden = isOwn();
  byId('connect').hidden = isOwn();
  for (const name of ['endpoint', 'bucket']) field(name).required = !isOwn();
}

/**
 * What is on its way goes where it was begun to go.
 * @param isHeld new keys may be given meanwhile: it waits for them
 */
export function lockFields(isLocked: boolean, isHeld: boolean): void {
  byId<HTMLFieldSetElement>('place-fields').disabled = isLocked;
  byId<HTMLFieldSetElement>('key-fields').disabled = isLocked && !isHeld;
  byId<HTMLButtonElement>('connect').disabled = isLocked && !isHeld;
}
