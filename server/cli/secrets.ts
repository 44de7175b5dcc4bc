import { readFileSync } from 'node:fs';
import { printNote } from './output.js';
import { UsageError } from './errors.js';

/** The flags and variables that give a secret to a command. */
export interface SecretSource {
  /** Flag with the secret itself. `<flagName>-file` names a file. */
  flagName: string;
  /** Values of the two flags. The file `-` is standard input. */
  flag: string | undefined;
  file: string | undefined;
  /** Environment variable with the secret. `<variableName>_FILE` names a file. */
  variableName: string;
  /** Tells whether a value contains a secret. @default () => true */
  isSecret?: (value: string) => boolean;
}

const warned = new Set<string>();
/** Standard input can be read only once, but every request of a command asks for the key. */
const read = new Map<string, string>();

/**
 * Reads a secret from its flag, its file or its variable, in this order. Warns about a secret in a flag, because every user of the
 * machine can read it in the process list.
 * @throws UsageError if both flag and file are given, or if the file cannot be read or is empty
 */
export function readSecret({ flag, flagName, file, variableName, isSecret = () => true }: SecretSource): string | undefined {
  const fileFlag = `${flagName}-file`;
  const fileVariable = `${variableName}_FILE`;
  if (flag !== undefined && file !== undefined) throw new UsageError(`use either ${flagName} or ${fileFlag}, not both`);
  if (file !== undefined) return readSecretFile(file, fileFlag);
  if (flag === undefined) {
    // An empty variable counts as none.
    const path = process.env[fileVariable];
    return path ? readSecretFile(path, fileVariable) : process.env[variableName] || undefined;
  }
  if (isSecret(flag) && !warned.has(flagName)) {
    warned.add(flagName);
    printNote(
      `warning: other users of this machine can read ${flagName} in the process list. Use ${variableName} or ${fileVariable}.`,
    );
  }
  return flag;
}

function readSecretFile(path: string, fileName: string): string {
  const known = read.get(path);
  if (known !== undefined) return known;
  let text: string;
  try {
    text = readFileSync(path === '-' ? 0 : path, 'utf8').trim();
  } catch (cause) {
    throw new UsageError(`cannot read ${fileName} ${path}: ${(cause as Error).message}`, { cause });
  }
  if (text === '') throw new UsageError(`${fileName} ${path} is empty`);
  read.set(path, text);
  return text;
}
