import { dropFiles, inputOf, launch, watchedPage } from './browser.js';
import type { Visitors } from './person.js';

export async function inChromium(): Promise<Visitors> {
  const browser = await launch();
  return {
    async visit(address) {
      const context = await browser.newContext();
      const { page, run, complaints, received } = await watchedPage(context);
      page.on('dialog', (dialog) => void dialog.accept());
      await page.goto(address);
      return {
        go: async (to) => void (await page.goto(to)),
        reload: async () => void (await page.reload()),
        choose: (paths, uploader = 'svc-uploader') => inputOf(page, uploader).setInputFiles(paths),
        drop: (paths, uploader) => dropFiles(page, page.locator(uploader), paths),
        click: (selector) => page.click(selector),
        type: (selector, text) => page.fill(selector, text),
        run,
        setOffline: (offline) => context.setOffline(offline),
        complaints,
        received,
        leave: () => context.close(),
      };
    },
    close: () => browser.close(),
  };
}
