import { afterEach, expect, it, vi } from 'vitest';
import { LanguageController } from '../../../src/element/locales/language-controller.js';
import type { Localizer } from '../../../src/element/locales/localizer.js';
import de from '../../../src/element/locales/de.js';

let isThere = true;
const asked = vi.fn();
// A file that does not come cannot be provoked here otherwise.
vi.mock('../../../src/element/locales/languages.js', () => ({
  loaderFor: () => () => {
    asked();
    return isThere ? Promise.resolve({ default: de }) : Promise.reject(new TypeError('Failed to fetch'));
  },
}));

afterEach(() => void vi.useRealTimers());

it('asks a while later for a language that could not be loaded, and not with every drawing', async () => {
  vi.useFakeTimers();
  isThere = false;
  const host = { locale: 'de', words: undefined as Localizer | undefined, requestUpdate() {}, addController() {} };
  const language = new LanguageController(host as unknown as ConstructorParameters<typeof LanguageController>[0]);
  const draw = async () => {
    language.hostUpdate();
    await vi.advanceTimersByTimeAsync(0);
  };
  await draw();
  await vi.waitFor(() => expect(host.words?.locale).toBe('en-US'));
  isThere = true;
  await draw();
  await draw();
  expect(asked).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(10_000);
  await draw();
  await vi.waitFor(() => expect(host.words?.locale).toBe('de'));
  expect(asked).toHaveBeenCalledTimes(2);
});
