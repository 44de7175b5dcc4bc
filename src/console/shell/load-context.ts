import type { StatsRecord } from '../../protocol/types.js';
import { Api } from '../api/api.js';
import type { User, Workspace } from '../api/records.js';
import type { ConsoleContext, StorageProblem } from './context.js';
import type { Router } from './router.js';

/** The user and the workspaces, which all sections need. */
export interface Profile {
  user: User;
  workspaces: readonly Workspace[];
}

/** Opens the sign-in page, which continues at the present address. */
function signIn(): void {
  location.assign(`/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`);
}

export const accountApi = new Api(signIn);

export async function loadProfile(signal: AbortSignal): Promise<Profile> {
  const [user, { workspaces }] = await Promise.all([
    accountApi.get<User>('/v1/users/me', { signal }),
    accountApi.get<{ workspaces: Workspace[] }>('/v1/workspaces', { signal }),
  ]);
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
  const storage = new Api(signIn, id);
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
