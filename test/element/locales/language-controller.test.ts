// Own process: mocks modules.
import { afterEach, describe, expect, it, vi } from 'vitest';
import { LanguageController } from '../../../src/element/locales/language-controller.js';
import type { Localizer } from '../../../src/element/locales/localizer.js';
import de from '../../../src/element/locales/de.js';

let isAvailable = true;
const loadLanguage = vi.fn();
// The import of a missing chunk cannot be provoked in Node, so the table of languages is replaced.
vi.mock('../../../src/element/locales/languages.js', () => ({
  findLanguage: () => () => {
    loadLanguage();
    return isAvailable ? Promise.resolve({ default: de }) : Promise.reject(new TypeError('Failed to fetch'));
  },
}));

afterEach(() => void vi.useRealTimers());

describe('LanguageController', () => {
  it('loads a missing language again after a while, but not at every render', async () => {
    vi.useFakeTimers();
    isAvailable = false;
    const host = { locale: 'de', localizer: undefined as Localizer | undefined, requestUpdate() {}, addController() {} };
    const controller = new LanguageController(host as unknown as ConstructorParameters<typeof LanguageController>[0]);
    const render = async () => {
      controller.hostUpdate();
      await vi.advanceTimersByTimeAsync(0);
    };
    await render();
    await vi.waitFor(() => expect(host.localizer?.locale).toBe('en-US'));
    isAvailable = true;
    await render();
    await render();
    expect(loadLanguage).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(10_000);
    await render();
    await vi.waitFor(() => expect(host.localizer?.locale).toBe('de'));
    expect(loadLanguage).toHaveBeenCalledTimes(2);
  });
});
