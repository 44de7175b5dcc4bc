import { byId } from '../by-id.js';
import type { Held } from './trouble.js';

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
 * @param held what it waits for: new keys may be given meanwhile, or a word that there is room
 */
export function lockFields(isLocked: boolean, held: Held | undefined): void {
  const button = byId<HTMLButtonElement>('connect');
  byId<HTMLFieldSetElement>('place-fields').disabled = isLocked;
  byId<HTMLFieldSetElement>('key-fields').disabled = isLocked && held !== 'entry';
  button.disabled = isLocked && held === undefined;
  button.textContent = held === 'room' ? 'Go on' : 'Connect';
}
