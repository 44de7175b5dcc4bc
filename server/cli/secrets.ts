import { readFileSync } from 'node:fs';
import { printNote } from './output.js';
import { UsageError } from './report-failure.js';

/** The ways to give one secret to a command. */
export interface SecretSource {
  /** Name of the flag that carries the secret itself. `<name>-file` is the flag that names a file. */
  flagName: string;
  /** Values of the two flags. A file `-` is standard input. */
  flag: string | undefined;
  file: string | undefined;
  /** Name of the environment variable. `<name>_FILE` is the one that names a file. */
  variableName: string;
  /** Whether this value is a secret at all. @default () => true */
  isSecret?: (value: string) => boolean;
}

const warned = new Set<string>();
/** Standard input can be read only once, but every request of a command asks for the key. */
const read = new Map<string, string>();

/**
 * Reads a secret from its flag, its file or its variable, in this order. A secret in a flag works, with a warning: every user of the machine
 * can read it in the process list.
 * @throws UsageError when the flag and the file are both given, or when the file cannot be read or is empty.
 */
export function readSecret({ flag, flagName, file, variableName, isSecret = () => true }: SecretSource): string | undefined {
  const fileFlag = `${flagName}-file`;
  const fileVariable = `${variableName}_FILE`;
  if (flag !== undefined && file !== undefined) throw new UsageError(`give ${flagName} or ${fileFlag}, not both`);
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
    throw new UsageError(`${fileName} ${path} cannot be read: ${(cause as Error).message}`, { cause });
  }
  if (text === '') throw new UsageError(`${fileName} ${path} is empty`);
  read.set(path, text);
  return text;
}
