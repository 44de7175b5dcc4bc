import { findFirefox, findWebKit, isWanted } from '../support/browsers.js';
import { openChromium } from './chromium-driver.js';
import { openFirefox } from './firefox-driver.js';
import { openWebKit } from './webkit-driver.js';
import type { RunInPage } from './page-scripts.js';

/** What a person does on a page, in whichever browser. */
export interface BrowserPage {
  go(address: string): Promise<void>;
  /** Says yes when the page asks whether it may be left. */
  reload(): Promise<void>;
  /** Chooses files of the disk. @param uploader the page's first where none is named */
  choose(paths: string[], uploader?: string): Promise<void>;
  /** Drops files of the disk. */
  drop(paths: string[], uploader: string): Promise<void>;
  click(selector: string): Promise<void>;
  /** Fills an empty field. */
  type(selector: string, text: string): Promise<void>;
  run: RunInPage;
  /** The browser is told that there is no network. Not every one cuts the line as well. */
  setOffline(offline: boolean): Promise<void>;
  /** Errors and warnings of the console so far; absent where the driver tells none. */
  readonly consoleErrors?: string[];
  /** Headers and bodies of all answers so far; absent where the driver tells none. */
  readonly responses?: string[];
  close(): Promise<void>;
}

export interface BrowserDriver {
  /** A new person, with a profile of their own, on a page. */
  open(address: string): Promise<BrowserPage>;
  close(): Promise<void>;
}

/** Every browser there is, by name. */
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

/** How many uploads the page's form would send. */
export const countSubmittedFiles = (person: BrowserPage): Promise<number> =>
  person.run(() => new FormData(document.querySelector('form')!).getAll('files').filter(Boolean).length);
