import type { Ini } from './ini.js';

/** The two configuration files of AWS's tools. */
export interface Profiles {
  config: Ini;
  secrets: Ini;
}

/** Profiles that may refer to each other, and causes of an error that are read. */
const MAX_DEPTH = 8;

/**
 * Explains why a profile gave no credentials. The SDK tries one source after the other and reports only that all have failed.
 * @param sdkLog the debug messages of the SDK
 * @returns undefined if the profile does not show the reason
 */
export function explainMissingCredentials(profileName: string, profiles: Profiles, sdkLog: string[]): string | undefined {
  let name = profileName;
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    const profile = { ...profiles.config.get(name), ...profiles.secrets.get(name) };
    const command = profile['credential_process'];
    if (command !== undefined)
      return `The credential_process of the profile gave no credentials: ${programOf(command)}${reasonOf(command, sdkLog)}`;
    const missing = missingHalfOfKeyPair(name, profile);
    if (missing !== undefined) return missing;
    const source = profile['source_profile'];
    if (source === undefined || source === name) return undefined;
    if (!profiles.config.has(source) && !profiles.secrets.has(source))
      return `The profile ${name} names ${source} as its source_profile, but there is no profile ${source}.`;
    name = source;
  }
  return undefined;
}

/** Names the settings that are missing if neither the environment nor a profile has credentials. */
export function describeMissingCredentials(
  environment: Readonly<Record<string, string | undefined>>,
  profileName?: string,
): string {
  if (profileName !== undefined) return `The profile ${profileName} has no credentials.`;
  const lacking = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'].filter((name) => !environment[name]);
  return lacking.length === 1
    ? `No complete credentials: ${lacking[0]} is not set.`
    : 'No credentials: neither AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY nor a default profile is set.';
}

function missingHalfOfKeyPair(name: string, profile: Record<string, string>): string | undefined {
  const [id, secret] = ['aws_access_key_id', 'aws_secret_access_key'];
  const [hasId, hasSecret] = [profile[id] !== undefined, profile[secret] !== undefined];
  if (hasId === hasSecret) return undefined;
  return hasId ? `The profile ${name} has ${id} but no ${secret}.` : `The profile ${name} has ${secret} but no ${id}.`;
}

/** Returns the program of a command line, without its arguments and variables, which may be secrets. */
const programOf = (command: string): string => /^\s*("[^"]*"|[^\s"'=]+)(?=\s|$)/.exec(command)?.[1] ?? 'a shell command';

/**
 * Returns what was wrong with the output of a `credential_process`, or the last line of its error output, in parentheses. Empty if that
 * line contains an argument of the command, which may be a secret.
 */
function reasonOf(command: string, sdkLog: string[]): string {
  const invalidOutput = sdkLog.find((entry) => /credential_process (?:returned|did not return)/.test(entry));
  if (invalidOutput !== undefined) return ` (${invalidOutput.replace(/^.*?-> /, '').replace(/\.$/, '')})`;
  const failure = sdkLog.find((entry) => entry.includes('Command failed: '));
  const lastLine = failure?.trim().split('\n').slice(1).at(-1);
  const secrets = command.split(/[\s"'=]+/).slice(1);
  const isSafe = lastLine !== undefined && !secrets.some((word) => word.length > 3 && lastLine.includes(word));
  return isSafe ? ` (${lastLine})` : '';
}

/** Messages of the SDK for a response that it cannot read. */
const UNREADABLE_RESPONSE = /^(?:Unknown(?:Error)?)?$|Deserialization error/;

/** Returns the messages of an error and its causes. For a response that the SDK cannot read, it tells the status instead. */
export function errorText(thrown: unknown): string {
  const messages = new Set<string>();
  let error = thrown;
  for (let depth = 0; error instanceof Error && depth < MAX_DEPTH; depth++) {
    const { httpStatusCode } = (error as { $metadata?: { httpStatusCode?: number } }).$metadata ?? {};
    const isUnreadable = httpStatusCode !== undefined && UNREADABLE_RESPONSE.test(error.message);
    messages.add(isUnreadable ? `The credential service responded with status ${httpStatusCode} and no reason.` : error.message);
    error = error.cause;
  }
  return [...messages].join(': ') || String(thrown);
}
