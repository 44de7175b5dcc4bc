import { closeContexts, dropFiles, fileInputOf, useChromium, openWatchedPage, recordResponses } from './chromium-page.js';
import type { BrowserDriver } from './browser-page.js';

export async function openChromium(): Promise<BrowserDriver> {
  const browser = await useChromium();
  return {
    async open(address, { recordsResponses = false } = {}) {
      const context = await browser.newContext();
      const { page, run, consoleErrors } = await openWatchedPage(context);
      const responses = recordsResponses ? recordResponses(page) : undefined;
      page.on('dialog', (dialog) => void dialog.accept());
      await page.goto(address);
      return {
        go: async (to) => void (await page.goto(to)),
        reload: async () => void (await page.reload()),
        choose: (paths, uploader = 'svc-uploader') => fileInputOf(page, uploader).setInputFiles(paths),
        drop: (paths, uploader) => dropFiles(page, page.locator(uploader), paths),
        click: (selector) => page.click(selector),
        type: (selector, text) => page.fill(selector, text),
        run,
        setOffline: (offline) => context.setOffline(offline),
        consoleErrors,
        ...(responses && { responses }),
        close: () => context.close(),
      };
    },
    close: () => closeContexts(browser),
  };
}
