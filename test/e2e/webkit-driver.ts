import { startWebKit } from '../support/webkit.js';
import type { BrowserDriver } from './browser-page.js';
import { addFileCarrier, dropCarriedFiles, createRunner, waitUntilStill } from './page-scripts.js';
import { WebDriverSession } from './webdriver.js';

const selectorExpression = (selector: string) => `document.querySelector(${JSON.stringify(selector)})`;

/**
 * Makes the page believe that the network is gone or back. WebKitGTK reads the routes of the machine, and its driver has no command for
 * this.
 */
function reportNetworkState(offline: boolean): void {
  Object.defineProperty(navigator, 'onLine', { value: !offline, configurable: true });
  dispatchEvent(new Event(offline ? 'offline' : 'online'));
}

/** Drives WebKitGTK over WebDriver. Every page is a browser of its own, because the driver has no other profiles. */
export async function openWebKit(miniBrowser: string): Promise<BrowserDriver> {
  const { port, capabilities, stop } = await startWebKit(miniBrowser);
  return {
    async open(address) {
      const browser = await WebDriverSession.open(`http://127.0.0.1:${port}`, {
        ...capabilities,
        unhandledPromptBehavior: 'accept',
      });
      await browser.go(address);
      const choose = async (paths: string[], input: string) => browser.type(await browser.find(input), paths.join('\n'));
      const run = createRunner(
        (expression) => browser.run(`return ${expression}`),
        (statements) => browser.run(statements),
      );
      return {
        go: (to) => browser.go(to),
        reload: () => browser.reload(),
        choose: (paths, uploader = 'svc-uploader') =>
          choose(paths, `${selectorExpression(uploader)}?.shadowRoot?.querySelector('input[type=file]')`),
        async drop(paths, uploader) {
          await run(addFileCarrier);
          await choose(paths, selectorExpression('#carrier'));
          await run(dropCarriedFiles, uploader);
        },
        async click(selector) {
          await run(waitUntilStill, selector);
          await browser.click(await browser.find(selectorExpression(selector)));
        },
        type: async (selector, text) => browser.type(await browser.find(selectorExpression(selector)), text),
        run,
        setOffline: (offline) => run(reportNetworkState, offline),
        close: () => browser.close(),
      };
    },
    close: async () => stop(),
  };
}
