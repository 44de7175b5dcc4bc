import { startWebKit } from '../support/webkit.js';
import type { Visitors } from './person.js';
import { addCarrier, dropCarried, runBy, standStill } from './scripts.js';
import { WebDriverSession } from './webdriver.js';

const find = (selector: string) => `document.querySelector(${JSON.stringify(selector)})`;

/**
 * What the system would tell the page. WebKitGTK asks for the machine's routes (GNetworkMonitor), which are not ours to change, and its
 * driver has no word for it.
 */
function tell(offline: boolean): void {
  Object.defineProperty(navigator, 'onLine', { value: !offline, configurable: true });
  dispatchEvent(new Event(offline ? 'offline' : 'online'));
}

/** WebKitGTK, by its WebDriver. Every person is a browser of their own: the driver has no other profiles. */
export async function inWebKit(miniBrowser: string): Promise<Visitors> {
  const { port, capabilities, stop } = await startWebKit(miniBrowser);
  return {
    async visit(address) {
      const browser = await WebDriverSession.open(`http://127.0.0.1:${port}`, {
        ...capabilities,
        unhandledPromptBehavior: 'accept',
      });
      await browser.go(address);
      const choose = async (paths: string[], input: string) => browser.type(await browser.find(input), paths.join('\n'));
      const run = runBy(
        (expression) => browser.run(`return ${expression}`),
        (statements) => browser.run(statements),
      );
      return {
        go: (to) => browser.go(to),
        reload: () => browser.reload(),
        choose: (paths, uploader = 'svc-uploader') =>
          choose(paths, `${find(uploader)}?.shadowRoot?.querySelector('input[type=file]')`),
        async drop(paths, uploader) {
          await run(addCarrier);
          await choose(paths, find('#carrier'));
          await run(dropCarried, uploader);
        },
        async click(selector) {
          await run(standStill, selector);
          await browser.click(await browser.find(find(selector)));
        },
        type: async (selector, text) => browser.type(await browser.find(find(selector)), text),
        run,
        setOffline: (offline) => run(tell, offline),
        leave: () => browser.close(),
      };
    },
    close: async () => stop(),
  };
}
