import type { Failure } from '../../../src/bulk/types.js';
import { escapeControls } from './format.js';

/** Names printed for one reason. */
const MAX_NAMES = 20;

/** Groups failures by reason, so that a thousand failures of one kind print one line of advice. */
export function failuresText(failures: Failure[]): string {
  const groups = new Map<string, { advice: string; names: string[] }>();
  for (const failure of failures) {
    const head = escapeControls(`${failure.code}: ${withoutName(failure)}`);
    const group = groups.get(head) ?? { advice: failure.advice, names: [] };
    group.names.push(failure.name);
    groups.set(head, group);
  }
  let text = '\nFailed:\n';
  for (const [head, { advice, names }] of groups) {
    text += `  ${head}\n  ${advice}\n`;
    for (const name of names.slice(0, MAX_NAMES)) text += `    ${escapeControls(name)}\n`;
    if (names.length > MAX_NAMES) text += `    and ${names.length - MAX_NAMES} more\n`;
  }
  return text;
}

/**
 * Removes the name from a message, so that equal reasons group. Only a name at the beginning or in quotes is removed, because a
 * short name may be part of other words.
 */
function withoutName({ name, message }: Failure): string {
  if (name === '') return message;
  // Source and target share only the last segment of the name.
  const segment = name.slice(name.lastIndexOf('/') + 1).replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  const path = String.raw`(?:(?:(?!: )[^'])*[/\\])?`;
  return message
    .replace(new RegExp(`^${path}${segment}: `), '')
    .replace(new RegExp(`^${path}${segment}(?= )`), '…')
    .replaceAll(new RegExp(`'${path}${segment}'`, 'g'), "'…'");
}
