import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core';
import { createBlobService } from '../../../server/service/index.js';
import { CHROMIUM_FLAGS, findChromium } from '../../../test/support/chromium.js';
import { build } from '../../build.js';
import { examinePage } from './examine-page.js';
import { fillStorage } from './sample-storage.js';
import type { SampleStorage } from './sample-storage.js';
import type { Scene } from './scene.js';

/** A picture to take. */
export interface Shot {
  /** Path of the picture. */
  target: string;
  scene: Scene;
  window: BrowserContextOptions;
  isRightToLeft?: boolean;
}

/** A service with sample data, and a browser that photographs its console. */
export class Studio {
  /** Problems of the pictures. */
  readonly problems = new Set<string>();
  /** A context for each window. The files of the console stay in its cache. */
  readonly #contexts = new Map<BrowserContextOptions, BrowserContext>();

  private constructor(
    readonly browser: Browser,
    private readonly url: string,
    private readonly storage: SampleStorage,
    /** Ends the service and deletes its data. */
    private readonly close: () => Promise<void>,
  ) {}

  static async open(): Promise<Studio> {
    await build({ ifStale: true });
    const dataDir = await mkdtemp(join(tmpdir(), 'svc-console-'));
    const service = await createBlobService({
      port: 0,
      s3Port: 0,
      dataDir,
      outboundAllow: ['127.0.0.1'],
      s3PublicUrl: 'https://s3.example.org',
    });
    const { url } = await service.listen();
    const storage = await fillStorage(service, url);
    const browser = await chromium.launch({ executablePath: await findChromium(), args: CHROMIUM_FLAGS });
    return new Studio(browser, url, storage, async () => {
      storage.close();
      await service.close();
      await rm(dataDir, { recursive: true, force: true });
    });
  }

  async stop(): Promise<void> {
    await this.browser.close();
    await this.close();
  }

  async #openContext(window: BrowserContextOptions): Promise<BrowserContext> {
    const context =
      this.#contexts.get(window) ?? (await this.browser.newContext({ locale: 'en-US', reducedMotion: 'reduce', ...window }));
    this.#contexts.set(window, context);
    await context.setOffline(false);
    return context;
  }

  /** Takes a picture. @returns whether that succeeded; `problems` states why not */
  async photograph({ target, scene, window, isRightToLeft = false }: Shot): Promise<boolean> {
    const client = this.storage.people[scene.person ?? 'owner'];
    await client.call('PATCH', '/v1/users/me', { language: scene.language ?? 'en-us' });
    const context = await this.#openContext(window);
    await context.addCookies([{ name: 'svc_session', value: client.session, url: this.url }]);
    const page = await context.newPage();
    page.setDefaultTimeout(30_000);
    page.on('pageerror', (error) => this.problems.add(`${target}: ${error.message}`));
    const settle = () => page.waitForLoadState('networkidle', { timeout: 4000 }).catch(() => {});
    try {
      if (isRightToLeft)
        await page.addInitScript(() => addEventListener('DOMContentLoaded', () => (document.documentElement.dir = 'rtl')));
      await scene.prepare?.(page);
      await page.goto(`${this.url}/console/${this.storage.fill(scene.path)}`);
      await settle();
      await scene.act?.(page);
      // Dialogs and thumbnails load when they are needed.
      await settle();
      await page.waitForTimeout(400);
      for (const problem of await examinePage(page)) this.problems.add(`${target}: ${problem}`);
    } catch (error) {
      this.problems.add(`${target}: ${String(error).slice(0, 300)}`);
    }
    try {
      await page.screenshot({ path: target, fullPage: scene.isWhole ?? false, animations: 'disabled' });
      return true;
    } catch (error) {
      this.problems.add(`${target}: ${String(error).slice(0, 100)}`);
      return false;
    } finally {
      await page.close();
    }
  }
}
