import type { Failure } from '../../../src/bulk/types.js';
import { printable } from './format.js';

/** Names told of one reason. */
const NAMES = 20;

/** Failures in groups of one reason, so that a thousand of one kind are one line of advice. */
export function failuresText(failures: Failure[]): string {
  const groups = new Map<string, { advice: string; names: string[] }>();
  for (const failure of failures) {
    const head = printable(`${failure.code}: ${withoutName(failure)}`);
    const group = groups.get(head) ?? { advice: failure.advice, names: [] };
    group.names.push(failure.name);
    groups.set(head, group);
  }
  let text = '\nNot done:\n';
  for (const [head, { advice, names }] of groups) {
    text += `  ${head}\n  ${advice}\n`;
    for (const name of names.slice(0, NAMES)) text += `    ${printable(name)}\n`;
    if (names.length > NAMES) text += `    and ${names.length - NAMES} more\n`;
  }
  return text;
}

/**
 * What the message says of any name, so that the same of many names is one line. The name is taken out where it stands as a name, at
 * the end of a path or by itself: at the beginning, and in quotes. A short one is part of many words.
 */
function withoutName({ name, message }: Failure): string {
  if (name === '') return message;
  // A source may lie elsewhere than its object; the last part of a name is that of both.
  const own = name.slice(name.lastIndexOf('/') + 1).replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  const path = String.raw`(?:(?:(?!: )[^'])*[/\\])?`;
  return message
    .replace(new RegExp(`^${path}${own}: `), '')
    .replace(new RegExp(`^${path}${own}(?= )`), '…')
    .replaceAll(new RegExp(`'${path}${own}'`, 'g'), "'…'");
}
