import { homedir } from 'node:os';

/** The person's own folder; undefined where there is none, as for a bare user id in a container. */
export function homeFolder(): string | undefined {
  try {
    return homedir() || undefined;
  } catch {
    return undefined;
  }
}
