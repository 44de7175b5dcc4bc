import { findFirefox, findWebKit, isWanted } from '../support/browsers.js';
import { openChromium } from './chromium-driver.js';
import { openFirefox } from './firefox-driver.js';
import { openWebKit } from './webkit-driver.js';
import type { RunInPage } from './page-scripts.js';

/** Actions of a person on a page, in any browser. */
export interface BrowserPage {
  go(address: string): Promise<void>;
  /** Reloads the page, and confirms if it asks. */
  reload(): Promise<void>;
  /** Chooses files of the disk. @param uploader selector of the uploader. @default the first of the page */
  choose(paths: string[], uploader?: string): Promise<void>;
  /** Drops files of the disk. */
  drop(paths: string[], uploader: string): Promise<void>;
  click(selector: string): Promise<void>;
  /** Fills an empty field. */
  type(selector: string, text: string): Promise<void>;
  run: RunInPage;
  /** Tells the browser that the network is gone. Some browsers keep connections open nevertheless. */
  setOffline(offline: boolean): Promise<void>;
  /** Errors and warnings of the console so far. Absent if the driver does not report them. */
  readonly consoleErrors?: string[];
  /** Headers and bodies of all responses so far. Absent unless they are recorded, which only the driver of Chromium can. */
  readonly responses?: string[];
  close(): Promise<void>;
}

export interface OpenOptions {
  /** Whether to read all responses, which takes time. @default false */
  recordsResponses?: boolean;
}

export interface BrowserDriver {
  /** Opens a page with a new profile. */
  open(address: string, options?: OpenOptions): Promise<BrowserPage>;
  close(): Promise<void>;
}

/** Browsers that are installed and selected by ENGINES, by name. */
export const BROWSERS: Readonly<Record<string, () => Promise<BrowserDriver>>> = {
  ...(isWanted('chromium') && { Chromium: openChromium }),
  ...entryFor('Firefox', isWanted('firefox') && findFirefox(), openFirefox),
  ...entryFor('WebKit', isWanted('webkit') && findWebKit(), openWebKit),
};

function entryFor(
  name: string,
  path: string | undefined | false,
  open: (path: string) => Promise<BrowserDriver>,
): typeof BROWSERS {
  return path ? { [name]: () => open(path) } : {};
}

/** Counts the uploads that the form of the page would submit. */
export const countSubmittedFiles = (page: BrowserPage): Promise<number> =>
  page.run(() => new FormData(document.querySelector('form')!).getAll('files').filter(Boolean).length);
