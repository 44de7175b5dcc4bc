import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core';
import type { BlobServiceOptions } from '../../../server/service/index.js';
import type { FileRecord } from '../../../src/protocol/types.js';
import { accountOf, signIn } from '../../service/session-client.js';
import type { SignedInUser } from '../../service/session-client.js';
import type { TestWorkspace } from '../../service/workspace-client.js';
import { TestService } from '../../service/support.js';
import { closeContexts, useChromium, openWatchedPage } from '../chromium-page.js';
import type { WatchedPage } from '../chromium-page.js';

/** A service with a browser, for tests of the console. */
export class ConsoleTest {
  readonly #contexts: BrowserContext[] = [];

  private constructor(
    readonly service: TestService,
    readonly browser: Browser,
  ) {}

  static async start(options: BlobServiceOptions = {}): Promise<ConsoleTest> {
    const [service, browser] = await Promise.all([TestService.start(options), useChromium()]);
    return new ConsoleTest(service, browser);
  }

  async stop(): Promise<void> {
    await closeContexts(this.browser);
    await this.service.stop();
  }

  /** Closes the windows of a test. */
  async closeWindows(): Promise<void> {
    await Promise.all(this.#contexts.splice(0).map((context) => context.close()));
  }

  /** Opens a page of the console as a user. @param path after `/console` */
  async open(
    user: Pick<SignedInUser, 'cookie'>,
    path = '',
    options: BrowserContextOptions = {},
  ): Promise<WatchedPage & { context: BrowserContext }> {
    const context = await this.browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    this.#contexts.push(context);
    const [name, value] = user.cookie.split('=') as [string, string];
    await context.addCookies([{ name, value, url: this.service.url }]);
    const watched = await openWatchedPage(context);
    await watched.page.goto(`${this.service.url}/console${path}`);
    return { ...watched, context };
  }

  /** Opens a page in a workspace as a new member who may only read. @param path after `/console`, without a query */
  openAsReader = async (workspace: TestWorkspace, path: string): ReturnType<ConsoleTest['open']> =>
    this.open(await workspace.member(['blob:read']), `${path}?workspace=${workspace.id}`);

  /** Signs in a new user. */
  user = (name = 'Ana Souza'): Promise<SignedInUser> => signIn(this.service, { name });

  /** Returns the account of a user, which is also the name of its main bucket. */
  accountOf = ({ user }: Pick<SignedInUser, 'user'>): Promise<string> => accountOf(this.service, user.id);

  /** Stores a file as a user. */
  async put(
    user: Pick<SignedInUser, 'cookie'>,
    path: string,
    content: string | Buffer<ArrayBuffer> = 'x',
    type?: string,
  ): Promise<FileRecord> {
    const encoded = path.split('/').map(encodeURIComponent).join('/');
    const response = await fetch(`${this.service.url}/v1/files/${encoded}`, {
      method: 'PUT',
      headers: {
        Cookie: user.cookie,
        Origin: new URL(this.service.url).origin,
        'Content-Type': type ?? 'application/octet-stream',
      },
      body: content,
    });
    const body = (await response.json()) as { response: FileRecord };
    if (!response.ok) throw new Error(`${response.status} ${JSON.stringify(body)}`);
    return body.response;
  }
}
