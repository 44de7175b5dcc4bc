import { findFirefox, findWebKit, isWanted } from '../support/browsers.js';
import { inChromium } from './in-chromium.js';
import { inFirefox } from './in-firefox.js';
import { inWebKit } from './in-webkit.js';
import type { Run } from './scripts.js';

/** What a person does on a page, in whichever browser. */
export interface Person {
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
  run: Run;
  /** The browser is told that there is no network. Not every one cuts the line as well. */
  setOffline(offline: boolean): Promise<void>;
  /** Errors and warnings of the console so far; absent where the driver tells none. */
  readonly complaints?: string[];
  /** Headers and bodies of all answers so far; absent where the driver tells none. */
  readonly received?: string[];
  leave(): Promise<void>;
}

export interface Visitors {
  /** A new person, with a profile of their own, on a page. */
  visit(address: string): Promise<Person>;
  close(): Promise<void>;
}

/** Every browser there is, by name. */
export const BROWSERS: Readonly<Record<string, () => Promise<Visitors>>> = {
  ...(isWanted('chromium') && { Chromium: inChromium }),
  ...openerOf('Firefox', isWanted('firefox') && findFirefox(), inFirefox),
  ...openerOf('WebKit', isWanted('webkit') && findWebKit(), inWebKit),
};

function openerOf(name: string, path: string | undefined | false, open: (path: string) => Promise<Visitors>): typeof BROWSERS {
  return path ? { [name]: () => open(path) } : {};
}

/** How many uploads the page's form would send. */
export const sent = (person: Person): Promise<number> =>
  person.run(() => new FormData(document.querySelector('form')!).getAll('files').filter(Boolean).length);
