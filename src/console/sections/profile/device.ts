import { profileTexts } from './texts/texts.js';

/** Names with their marks in `User-Agent`. An earlier mark wins, because browsers name others too. */
const BROWSERS: readonly (readonly [string, RegExp])[] = [
  ['Edge', /Edg(?:e|A|iOS)?\//],
  ['Opera', /OPR\//],
  ['Samsung Internet', /SamsungBrowser\//],
  ['Firefox', /(?:Firefox|FxiOS)\//],
  ['Chrome', /(?:Chrome|CriOS)\//],
  ['Safari', /Safari\//],
];
const SYSTEMS: readonly (readonly [string, RegExp])[] = [
  ['iOS', /iPhone|iPad/],
  ['Android', /Android/],
  ['Windows', /Windows/],
  ['macOS', /Mac OS X/],
  ['ChromeOS', /CrOS/],
  ['Linux', /Linux/],
];

const find = (list: readonly (readonly [string, RegExp])[], text: string): string | undefined =>
  list.find(([, mark]) => mark.test(text))?.[0];

/** Names the browser and the system of a session, as far as they are known. */
export function deviceOf(userAgent: string): string {
  const browser = find(BROWSERS, userAgent);
  const system = find(SYSTEMS, userAgent);
  if (browser !== undefined && system !== undefined) return profileTexts.sessions.device(browser, system);
  return browser ?? system ?? (userAgent.slice(0, 60) || profileTexts.sessions.unknownDevice);
}
