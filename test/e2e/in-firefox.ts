import { launch } from 'puppeteer-core';
import type { ElementHandle } from 'puppeteer-core';
import type { Visitors } from './person.js';
import { addCarrier, dropCarried, runBy } from './scripts.js';

/** Over WebDriver BiDi, the one protocol that Debian's Firefox speaks. */
export async function inFirefox(executablePath: string): Promise<Visitors> {
  const browser = await launch({ browser: 'firefox', executablePath, headless: true });
  return {
    async visit(address) {
      const context = await browser.createBrowserContext();
      const page = await context.newPage();
      const complaints: string[] = [];
      page.on('console', (message) => ['error', 'warn'].includes(message.type()) && complaints.push(message.text()));
      page.on('pageerror', (error) => complaints.push(String(error)));
      page.on('dialog', (dialog) => void dialog.accept());
      await page.goto(address);
      const choose = async (paths: string[], input: string) =>
        ((await page.waitForSelector(input)) as ElementHandle<HTMLInputElement>).uploadFile(...paths);
      return {
        go: async (to) => void (await page.goto(to)),
        reload: async () => void (await page.reload()),
        choose: (paths, uploader = 'svc-uploader') => choose(paths, `${uploader} >>> input[type=file]`),
        async drop(paths, uploader) {
          await page.evaluate(addCarrier);
          await choose(paths, '#carrier');
          await page.evaluate(dropCarried, uploader);
        },
        click: (selector) => page.click(selector),
        type: (selector, text) => page.type(selector, text),
        run: runBy((script) => page.evaluate(script)),
        setOffline: (offline) => page.setOfflineMode(offline),
        complaints,
        leave: () => context.close(),
      };
    },
    close: () => browser.close(),
  };
}
