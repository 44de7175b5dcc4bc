import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ACTIVITY_ACTIONS, actionsOf } from '../../src/protocol/activity-actions.js';
import type { ActivityGroup } from '../../src/protocol/activity-actions.js';
import type { ActivityRecord } from '../../server/service/identity/activities/activity-record.js';
import { withMetadata } from './change-key.js';
import { signIn } from './session-client.js';
import type { SignedInUser } from './session-client.js';
import { TestService } from './support.js';
import { createWorkspace, expectStatus, outcome } from './workspace-client.js';

let service: TestService;
beforeAll(async () => void (service = await TestService.start()));
afterAll(() => service.stop());

interface Page {
  activities: ActivityRecord[];
  cursor: string | null;
}

type TestWorkspace = Awaited<ReturnType<typeof createWorkspace>>;

/** An entry to write. */
type Entry = Partial<Pick<ActivityRecord, 'action' | 'author_id' | 'origin' | 'status' | 'details'>> & { time: number };

/** Writes entries into the log of a workspace and of its owner. Their ids have the order of the array. */
async function writeEntries({ id, owner }: TestWorkspace, entries: readonly Entry[]): Promise<void> {
  await withMetadata(service.dataDir, (metadata) =>
    metadata.write(async (query) => {
      const log = query.selectFrom('activities').selectAll().where('workspace_id', '=', id);
      const row = await log.executeTakeFirstOrThrow();
      const rows = entries.map(({ time, details = {}, ...entry }, n) => ({
        ...row,
        id: `act_${owner.user.id}_${String(n).padStart(5, '0')}`,
        details_json: JSON.stringify(details),
        created_at: time,
        ...entry,
      }));
      for (let start = 0; start < rows.length; start += 1000)
        await query
          .insertInto('activities')
          .values(rows.slice(start, start + 1000))
          .execute();
    }),
  );
}

/** Reads all pages. @returns the number in each entry's details */
async function readAll(client: SignedInUser, path: string, query: Record<string, string>): Promise<unknown[]> {
  const found: ActivityRecord[] = [];
  let cursor: string | null = null;
  do {
    const params = new URLSearchParams({ ...query, ...(cursor !== null && { cursor }) });
    const page: Page = expectStatus(await client.call<Page>('GET', `${path}?${params}`), 200);
    found.push(...page.activities);
    ({ cursor } = page);
  } while (cursor !== null);
  return found.map(({ details }) => details['n']);
}

const at = (second: number): number => Date.UTC(2026, 0, 1, 12, 0, second);
const timeOf = (second: number): string => new Date(at(second)).toISOString();

describe('the filters of the activity log', () => {
  let workspace: TestWorkspace;
  const author_id = 'user_other';
  beforeAll(async () => {
    workspace = await createWorkspace(service);
    await writeEntries(workspace, [
      { time: at(1), action: 'share.created', details: { n: 1, path: 'a/b.txt' } },
      { time: at(2), action: 'share.deleted', author_id, details: { n: 2, path: null, prefix: 'a' } },
      { time: at(3), action: 'files.deleted', author_id, origin: 'api_key', details: { n: 3, paths: ['x.txt', 'a/c "d".txt'] } },
      { time: at(3), action: 'files.deleted', details: { n: 4, paths: ['ab.txt'] } },
      { time: at(5), action: 'job.finished', status: 'failure', details: { n: 5, prefix: 'old/', to: 'a/new' } },
      { time: at(6), action: 'upload_token.created', origin: 'api_key', details: { n: 6, prefix: 'a/b' } },
    ]);
  });

  it.each<[string, Record<string, string>, number[]]>([
    ['an author', { author_id }, [3, 2]],
    ['an action', { action: 'files.deleted' }, [4, 3]],
    ['a group of actions', { action: 'share' }, [2, 1]],
    ['an author and an action', { author_id, action: 'share.deleted' }, [2]],
    ['an author without entries', { author_id: 'nobody' }, []],
    ['an origin', { origin: 'api_key', created_before: timeOf(6) }, [6, 3]],
    ['a status', { status: 'failure' }, [5]],
    ['a folder, not others with the same beginning', { path: 'a' }, [6, 5, 3, 2, 1]],
    ['a folder with a slash at its end', { path: 'a/b/' }, [6]],
    ['a file', { path: 'a/b.txt' }, [1]],
    ['a file whose name has quotes', { path: 'a/c "d".txt' }, [3]],
    ['the source folder of a job', { path: 'old' }, [5]],
    ['a part of a name', { path: 'b.txt' }, []],
    ['times, inclusive', { created_after: timeOf(2), created_before: timeOf(3) }, [4, 3, 2]],
    ['a time in another zone', { created_after: '2026-01-01T15:00:05+03:00', created_before: timeOf(6) }, [6, 5]],
    ['all conditions together', { author_id, action: 'files', path: 'a', origin: 'api_key', created_after: timeOf(3) }, [3]],
  ])('find entries of %s', async (_, query, expected) => {
    const bounds = { created_before: timeOf(10), ...query };
    for (const path of [`/v1/workspaces/${workspace.id}/activities`, '/v1/users/me/activities'])
      for (const limit of ['1', '2', '100']) expect(await readAll(workspace.owner, path, { ...bounds, limit })).toEqual(expected);
  });

  it('apply to the export', async () => {
    const query = new URLSearchParams({ author_id, path: 'a', created_after: timeOf(3) });
    const response = await fetch(`${service.url}/v1/workspaces/${workspace.id}/activities/export?${query}`, {
      headers: { Cookie: workspace.owner.cookie },
    });
    const lines = (await response.text()).trimEnd().split('\r\n');
    expect(lines).toHaveLength(2);
    expect(lines[1]).toContain('files.deleted');
  });

  it.each([
    ['action', 'share.eaten'],
    ['action', 'sha'],
    ['origin', 'moon'],
    ['status', 'maybe'],
    ['author_id', ''],
    ['path', ''],
    ['created_after', 'yesterday'],
    ['created_before', '2026-01-01'],
    ['since', '2026-01-01T00:00:00Z'],
  ])('refuse %s=%s and name the parameter', async (name, value) => {
    const query = new URLSearchParams({ [name]: value });
    for (const path of ['activities', 'activities/export']) {
      const response = await workspace.owner.call('GET', `/v1/workspaces/${workspace.id}/${path}?${query}`);
      expect([outcome(response), response.error.path]).toEqual([[400, 'VALIDATION_ERROR'], name]);
    }
  });

  it('find each action of the list and each group', async () => {
    for (const group of Object.keys(ACTIVITY_ACTIONS) as ActivityGroup[])
      for (const action of [group, ...actionsOf(group)])
        expectStatus(await workspace.owner.call('GET', `/v1/users/me/activities?action=${action}`), 200);
  });

  it('never show the log of another account', async () => {
    const stranger = await signIn(service);
    expect(await readAll(stranger, '/v1/users/me/activities', { author_id, path: 'a' })).toEqual([]);
    const path = `/v1/workspaces/${workspace.id}/activities?author_id=${author_id}`;
    expect(outcome(await stranger.call('GET', path))).toEqual([404, 'WORKSPACE_NOT_FOUND']);
  });
});

describe('a search in a long activity log', () => {
  it('reads a limited number of entries for a page, and finds the last one', async () => {
    const workspace = await createWorkspace(service);
    const entries = Array.from({ length: 25_000 }, (_, n) => ({ time: at(0) + Math.floor(n / 3), details: { n } }));
    await writeEntries(workspace, [{ time: at(0) - 1, details: { n: 'oldest', path: 'rare/x' } }, ...entries]);
    const path = `/v1/workspaces/${workspace.id}/activities`;
    const query = { path: 'rare', created_before: timeOf(60) };
    const page = expectStatus(await workspace.owner.call<Page>('GET', `${path}?${new URLSearchParams(query)}`), 200);
    expect(page).toEqual({ activities: [], cursor: expect.any(String) });
    expect(await readAll(workspace.owner, path, query)).toEqual(['oldest']);
  });

  it('finds the oldest entry of an author or an action with the first page', async () => {
    const workspace = await createWorkspace(service);
    const entries = Array.from({ length: 25_000 }, (_, n) => ({ time: at(0) + n, details: { n } }));
    const rare: Entry = { time: at(0) - 1, author_id: 'rare', action: 'domain.deleted', details: { n: 'oldest' } };
    await writeEntries(workspace, [rare, ...entries]);
    for (const filter of ['author_id=rare', 'action=domain.deleted']) {
      const response = await workspace.owner.call<Page>('GET', `/v1/workspaces/${workspace.id}/activities?${filter}`);
      const page = expectStatus(response, 200);
      // A page that read all entries would end before the oldest one.
      expect([page.activities.map(({ details }) => details['n']), page.cursor]).toEqual([['oldest'], null]);
    }
  });
});
