import type { Ini } from './ini.js';

/** The two files of AWS's tools, as they were read. */
export interface Profiles {
  config: Ini;
  secrets: Ini;
}

/** A profile that says no `credential_process` says what it wants of another one. */
const MAX_DEPTH = 8;

/**
 * Why a profile gave no credentials, as far as that can be told from what it says: the SDK asks whatever is next, and says in the end only
 * that nobody had any.
 * @param said what the SDK noted on its way
 */
export function explainMissingCredentials(name: string, profiles: Profiles, said: string[]): string | undefined {
  for (let [at, depth] = [name, 0]; depth < MAX_DEPTH; depth++) {
    const profile = { ...profiles.config.get(at), ...profiles.secrets.get(at) };
    const command = profile['credential_process'];
    if (command !== undefined)
      return `The credential_process of the profile gave no credentials: ${programOf(command)}${reasonFrom(command, said)}`;
    const [id, secret] = ['aws_access_key_id', 'aws_secret_access_key'];
    if ((profile[id] === undefined) !== (profile[secret] === undefined))
      return `The profile ${at} has no ${profile[id] === undefined ? id : secret} beside its ${profile[id] === undefined ? secret : id}.`;
    const next = profile['source_profile'];
    if (next === undefined || next === at) return undefined;
    if (!profiles.config.has(next) && !profiles.secrets.has(next))
      return `The profile ${at} names ${next} as its source_profile, and there is no profile ${next}.`;
    at = next;
  }
  return undefined;
}

/** Without its arguments, nor variables set before it: they may be secrets. */
const programOf = (command: string): string => /^\s*("[^"]*"|[^\s"'=]+)(?=\s|$)/.exec(command)?.[1] ?? 'a line for the shell';

/** What was wrong with its answer, or the last it said itself, unless a word of its arguments stands in it. */
function reasonFrom(command: string, said: string[]): string {
  const note = said.find((one) => /credential_process (?:returned|did not return)/.test(one));
  if (note !== undefined) return ` (${note.replace(/^.*?-> /, '').replace(/\.$/, '')})`;
  const failed = said.find((one) => one.includes('Command failed: '));
  const last = failed?.trim().split('\n').slice(1).at(-1);
  const secrets = command.split(/[\s"'=]+/).slice(1);
  return last === undefined || secrets.some((word) => word.length > 3 && last.includes(word)) ? '' : ` (${last})`;
}

/** What the SDK calls an answer that it cannot read. */
const UNREADABLE_RESPONSE = /^(?:Unknown(?:Error)?)?$|Deserialization error/;

/** The words of an error and of what caused it; of an answer that the SDK cannot read, its status. */
export function errorText(error: unknown): string {
  const words = new Set<string>();
  for (let one = error, depth = 0; one instanceof Error && depth < MAX_DEPTH; one = one.cause, depth++) {
    const { httpStatusCode } = (one as { $metadata?: { httpStatusCode?: number } }).$metadata ?? {};
    const isUnread = httpStatusCode !== undefined && UNREADABLE_RESPONSE.test(one.message);
    words.add(isUnread ? `Who was asked for credentials answered ${httpStatusCode}, and nothing that tells why.` : one.message);
  }
  return [...words].join(': ') || String(error);
}
