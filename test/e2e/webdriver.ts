import { setTimeout as sleep } from 'node:timers/promises';

/** A reference to an element in the protocol. */
interface ElementReference {
  'element-6066-11e4-a52e-4f735466cecf': string;
}

const REFERENCE = 'element-6066-11e4-a52e-4f735466cecf';

/** One browser over WebDriver, with the commands that these tests need. @see https://www.w3.org/TR/webdriver2/ */
export class WebDriverSession {
  private constructor(private readonly at: string) {}

  /** Starts a browser with a new profile. */
  static async open(driver: string, capabilities: Record<string, unknown>): Promise<WebDriverSession> {
    const { sessionId } = await sendCommand<{ sessionId: string }>(`${driver}/session`, 'POST', {
      capabilities: { alwaysMatch: capabilities },
    });
    return new WebDriverSession(`${driver}/session/${sessionId}`);
  }

  async go(url: string): Promise<void> {
    await this.#sendCommand('POST', '/url', { url });
  }

  async reload(): Promise<void> {
    await this.#sendCommand('POST', '/refresh', {});
  }

  /** Runs a script in the page and waits for its promise. @param script the body of a function */
  run<T>(script: string): Promise<T> {
    return this.#sendCommand('POST', '/execute/sync', { script, args: [] });
  }

  /** Waits for an element. @param expression returns it, also from a shadow root */
  async find(expression: string): Promise<string> {
    for (let tries = 0; tries < 200; tries += 1) {
      const found = await this.run<ElementReference | null>(`return ${expression} ?? null`);
      if (found !== null) return found[REFERENCE];
      await sleep(50);
    }
    throw new Error(`There is no ${expression}.`);
  }

  click(element: string): Promise<void> {
    return this.#sendCommand('POST', `/element/${element}/click`, {});
  }

  /** Types into a field. For a file input, the text is a list of paths, separated by line feeds. */
  type(element: string, text: string): Promise<void> {
    return this.#sendCommand('POST', `/element/${element}/value`, { text });
  }

  close(): Promise<void> {
    return this.#sendCommand('DELETE', '');
  }

  #sendCommand<T>(method: string, path: string, body?: unknown): Promise<T> {
    return sendCommand(this.at + path, method, body);
  }
}

async function sendCommand<T>(url: string, method: string, body?: unknown): Promise<T> {
  const response = await fetch(url, { method, ...(body !== undefined && { body: JSON.stringify(body) }) });
  const { value } = (await response.json()) as { value: T & { error?: string; message?: string } };
  if (!response.ok) throw new Error(`${method} ${new URL(url).pathname}: ${value.error}: ${value.message}`);
  return value;
}
