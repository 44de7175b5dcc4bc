import type { Failure } from '../../../src/bulk/types.js';
import { escapeControls } from './format.js';

/** Names that are printed for one reason. */
const MAX_NAMES = 20;

/** Returns the list of failures. Failures of one reason form a group, so that a thousand of them print one line of advice. */
export function failuresText(failures: Failure[]): string {
  const groups = new Map<string, { advice: string; names: string[] }>();
  for (const failure of failures) {
    const reason = escapeControls(`${failure.code}: ${removeName(failure)}`);
    const group = groups.get(reason) ?? { advice: failure.advice, names: [] };
    group.names.push(failure.name);
    groups.set(reason, group);
  }
  let text = '\nFailed:\n';
  for (const [reason, { advice, names }] of groups) {
    text += `  ${reason}\n  ${advice}\n`;
    for (const name of names.slice(0, MAX_NAMES)) text += `    ${escapeControls(name)}\n`;
    if (names.length > MAX_NAMES) text += `    and ${names.length - MAX_NAMES} more\n`;
  }
  return text;
}

/**
 * Removes the file name from a message, so that equal reasons form one group. It removes the name only at the beginning or in
 * quotes, because a short name may also be part of other words.
 */
function removeName({ name, message }: Failure): string {
  if (name === '') return message;
  // A message may name the source or the target. Both end in the last segment of the name.
  const segment = name.slice(name.lastIndexOf('/') + 1).replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  const path = String.raw`(?:(?:(?!: )[^'])*[/\\])?`;
  return message
    .replace(new RegExp(`^${path}${segment}: `), '')
    .replace(new RegExp(`^${path}${segment}(?= )`), '…')
    .replaceAll(new RegExp(`'${path}${segment}'`, 'g'), "'…'");
}
