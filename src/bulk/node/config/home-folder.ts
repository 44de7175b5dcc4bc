import { homedir } from 'node:os';

/** Returns the home folder of the user. Undefined if there is none, as for a user id without an entry in a container. */
export function homeFolder(): string | undefined {
  try {
    return homedir() || undefined;
  } catch {
    return undefined;
  }
}
