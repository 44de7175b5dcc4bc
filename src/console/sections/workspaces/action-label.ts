import { workspacesTexts } from './texts/texts.js';

/** Returns the name of an action, such as `API key: created`. An unknown one, of a newer service, stays as it is. */
export function actionLabel(action: string): string {
  const [group, change] = action.split('.') as [string, string | undefined];
  const groups: Record<string, string> = workspacesTexts.activity.groups;
  const changes: Record<string, string> = workspacesTexts.activity.changes;
  const name = groups[group];
  const done = change === undefined ? undefined : changes[change];
  return name !== undefined && done !== undefined ? `${name}: ${done}` : action;
}
