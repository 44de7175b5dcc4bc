import { workspacesTexts } from './texts/texts.js';

/** Returns the name of a kind of object, such as `API key`. */
export const targetLabel = (target: string): string => workspacesTexts.activity.targets[target] ?? target;

/** Returns the name of an action, such as `API key: created`. An unknown one stays as it is. */
export function actionLabel(action: string): string {
  const [target, verb] = action.split('.') as [string, string | undefined];
  const { targets, verbs } = workspacesTexts.activity;
  const name = targets[target];
  const done = verb === undefined ? undefined : verbs[verb];
  return name !== undefined && done !== undefined ? `${name}: ${done}` : action;
}
