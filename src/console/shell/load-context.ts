import type { StatsRecord } from '../../protocol/types.js';
import { Api } from '../api/api.js';
import type { ApiEvents } from '../api/api.js';
import type { User, Workspace } from '../api/records.js';
import type { ConsoleContext, StorageProblem } from './context.js';
import type { Router } from './router.js';
import { endSession } from './session-end.js';

/** The user and the workspaces, which all sections need. */
export interface Profile {
  user: User;
  workspaces: readonly Workspace[];
}

/** Id of the user for whom the page was loaded. */
let userId: string | undefined;

const events: ApiEvents = {
  signedOut: () => endSession(isSameUser),
  accessDenied: () => dispatchEvent(new Event('access-denied')),
};

async function isSameUser(): Promise<boolean | undefined> {
  const response = await fetch('/v1/users/me', { signal: AbortSignal.timeout(30_000) });
  if (response.status === 401) return undefined;
  return ((await response.json()) as { response?: User }).response?.id === userId;
}

export const accountApi = new Api(events);

export async function loadProfile(signal: AbortSignal): Promise<Profile> {
  const [user, { workspaces }] = await Promise.all([
    accountApi.get<User>('/v1/users/me', { signal }),
    accountApi.get<{ workspaces: Workspace[] }>('/v1/workspaces', { signal }),
  ]);
  userId = user.id;
  return { user, workspaces };
}

/** Creates the context of the workspace that the address names. */
export function contextFor(
  { user, workspaces }: Profile,
  router: Router,
  refresh: Pick<ConsoleContext, 'refreshStats' | 'refreshProfile'>,
): ConsoleContext {
  const id = router.place.params.get('workspace') ?? undefined;
  const workspace = workspaces.find((candidate) => candidate.id === id);
  const may = (permission: string): boolean =>
    !workspace || workspace.owner_id === user.id || workspace.permissions.includes(permission);
  const problem = problemOf(id !== undefined && !workspace, may('blob:read'));
  const storage = new Api(events, id);
  const mayWrite = problem === undefined && may('blob:manage');
  return {
    user,
    storage,
    account: accountApi,
    workspaces,
    workspace,
    mayWrite,
    router,
    ...refresh,
    problem,
    stats: undefined,
  };
}

function problemOf(isUnknown: boolean, mayRead: boolean): StorageProblem | undefined {
  if (isUnknown) return 'unknown';
  return mayRead ? undefined : 'noAccess';
}

export const loadStats = ({ storage }: ConsoleContext, signal: AbortSignal): Promise<StatsRecord> =>
  storage.get<StatsRecord>('/v1/stats', { signal });
