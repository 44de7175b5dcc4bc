import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { FolderRecord, Organization } from '../../server/service/identity/organization/organization.js';
import { accountOf } from './session-client.js';
import type { SignedInUser } from './session-client.js';
import { TestService } from './support.js';
import { createWorkspace, expectStatus, outcome } from './workspace-client.js';
import type { TestWorkspace } from './workspace-client.js';

let service: TestService;
let workspace: TestWorkspace;
let member: SignedInUser & { roleId: string };
let buckets: string[];
beforeAll(async () => {
  service = await TestService.start();
  workspace = await createWorkspace(service);
  const account = await accountOf(service, workspace.owner.user.id);
  const more = ['a', 'b', 'c'].map((letter) => `bucket-${letter}-${process.pid}`);
  for (const name of more) await service.service.core.blobs.createBucket(account, name);
  buckets = [account, ...more];
});
afterAll(() => service.stop());
beforeEach(async () => void (member = await workspace.member(['blob:read'])));

const path = (rest = '') => `/v1/workspaces/${workspace.id}${rest}`;
const organizationOf = async (client: SignedInUser) =>
  expectStatus(await client.call<{ resource_organization: Organization }>('GET', path()), 200).resource_organization;
const createFolder = async (client: SignedInUser, fields: object) =>
  expectStatus(await client.call<FolderRecord>('POST', path('/folders'), { body: fields }), 201);
const put = async (client: SignedInUser, rest: string, body?: object) =>
  expectStatus(await client.call<Organization>('PUT', path(rest), { ...(body && { body }) }), 200);
const namesOf = ({ folders }: Organization) => folders.map(({ name }) => name);
const favoritesOf = ({ favorites }: Organization) => favorites.map(({ resource_id }) => resource_id);
const actionsBy = async ({ user }: SignedInUser) => {
  const { activities } = (
    await workspace.owner.call<{ activities: { action: string; author_id: string; origin: string }[] }>(
      'GET',
      path('/activities?limit=1000'),
    )
  ).response;
  return activities
    .filter(({ author_id, origin }) => author_id === user.id && origin === 'user')
    .map(({ action }) => action)
    .toReversed();
};

describe('folders of a workspace', () => {
  it('belong to one member and have unique names', async () => {
    const folder = await createFolder(member, { name: 'Mine' });
    expect(folder).toMatchObject({ name: 'Mine', color: 'neutral', position: 0 });
    const again = await member.call('POST', path('/folders'), { body: { name: 'Mine' } });
    expect(outcome(again)).toEqual([409, 'WORKSPACE_RESOURCE_FOLDER_NAME_CONFLICT']);
    const other = await workspace.member([]);
    await createFolder(other, { name: 'Mine' });
    for (const method of ['PATCH', 'DELETE'])
      expect(
        outcome(
          await other.call(method, path(`/folders/${folder.id}`), { ...(method === 'PATCH' && { body: { name: 'Yours' } }) }),
        ),
      ).toEqual([404, 'NOT_FOUND']);
    expect([namesOf(await organizationOf(member)), namesOf(await organizationOf(other))]).toEqual([['Mine'], ['Mine']]);
    expect(namesOf(await organizationOf(workspace.owner))).toEqual([]);
  });

  it('keep dense positions when they are inserted, moved and deleted', async () => {
    for (const name of ['a', 'b', 'c']) await createFolder(member, { name });
    const first = await createFolder(member, { name: 'first', position: 0, color: 'red' });
    const far = await createFolder(member, { name: 'far', position: 99 });
    expect([first.position, far.position]).toEqual([0, 4]);
    const patch = (id: string, body: object) => member.call<FolderRecord>('PATCH', path(`/folders/${id}`), { body });
    expect((await patch(far.id, { position: 1, color: 'blue' })).response).toMatchObject({ position: 1, color: 'blue' });
    expect(namesOf(await organizationOf(member))).toEqual(['first', 'far', 'a', 'b', 'c']);
    expect(outcome(await patch(far.id, { name: 'first' }))).toEqual([409, 'WORKSPACE_RESOURCE_FOLDER_NAME_CONFLICT']);
    expect(outcome(await patch(far.id, { color: 'pink' }))).toEqual([400, 'VALIDATION_ERROR']);
    expect(outcome(await member.call('DELETE', path(`/folders/${first.id}`)))).toEqual([200]);
    const { folders } = await organizationOf(member);
    expect(folders.map(({ position }) => position)).toEqual([0, 1, 2, 3]);
  });

  it('keep dense positions under parallel changes', async () => {
    const names = Array.from({ length: 8 }, (_, index) => `folder ${index}`);
    const made = await Promise.all(names.map((name) => createFolder(member, { name, position: 0 })));
    await Promise.all(made.map(({ id }, index) => member.call('PATCH', path(`/folders/${id}`), { body: { position: index } })));
    const { folders } = await organizationOf(member);
    expect(folders.map(({ position }) => position)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  it('contain each resource once: putting it into another folder moves it', async () => {
    const [one, two] = [await createFolder(member, { name: 'one' }), await createFolder(member, { name: 'two' })];
    for (const bucket of buckets) await put(member, `/folders/${one.id}/resources/bucket/${bucket}`);
    await put(member, `/folders/${one.id}/resources/bucket/${buckets[3]}`, { position: 0 });
    const after = await put(member, `/folders/${two.id}/resources/bucket/${buckets[0]}`);
    const contents = (all: Organization) =>
      all.folders.map(({ resources }) => resources.map(({ resource_id, position }) => [resource_id, position]));
    expect(contents(after)).toEqual([
      [
        [buckets[3], 0],
        [buckets[1], 1],
        [buckets[2], 2],
      ],
      [[buckets[0], 0]],
    ]);
    for (let times = 0; times < 2; times++)
      expect(outcome(await member.call('DELETE', path(`/folders/${one.id}/resources/bucket/${buckets[1]}`)))).toEqual([200]);
    await member.call('DELETE', path(`/folders/${two.id}`));
    expect(contents(await organizationOf(member))).toEqual([
      [
        [buckets[3], 0],
        [buckets[2], 1],
      ],
    ]);
  });
});

describe('favorites of a workspace', () => {
  it('are individual, and both operations may be repeated', async () => {
    for (const bucket of [...buckets, buckets[0]]) await put(member, `/favorites/bucket/${bucket}`);
    expect(favoritesOf(await organizationOf(member))).toEqual(buckets);
    const moved = await put(member, `/favorites/bucket/${buckets[2]}`, { position: 0 });
    expect(favoritesOf(moved)).toEqual([buckets[2], buckets[0], buckets[1], buckets[3]]);
    for (let times = 0; times < 2; times++)
      expect(outcome(await member.call('DELETE', path(`/favorites/bucket/${buckets[0]}`)))).toEqual([200]);
    const { favorites } = await organizationOf(member);
    expect(favorites.map(({ position }) => position)).toEqual([0, 1, 2]);
    expect(favoritesOf(await organizationOf(workspace.owner))).toEqual([]);
  });

  it('accept only resources that the member can access', async () => {
    const outsider = await workspace.member(['apps:read']);
    const requests: [SignedInUser, string][] = [
      [outsider, `bucket/${buckets[0]}`],
      [member, 'bucket/main'],
      [member, `bucket/${await accountOf(service, member.user.id)}`],
      [member, 'bucket/unknown'],
      [member, 'application/app_1'],
      [member, 'database/db_1'],
    ];
    for (const [client, resource] of requests)
      expect([resource, ...outcome(await client.call('PUT', path(`/favorites/${resource}`)))]).toEqual([
        resource,
        404,
        'NOT_FOUND',
      ]);
    expect(outcome(await member.call('PUT', path('/favorites/table/x')))).toEqual([400, 'VALIDATION_ERROR']);
  });

  it('leave out buckets that the member may no longer see, and buckets that were deleted', async () => {
    const account = await accountOf(service, workspace.owner.user.id);
    const bucket = await service.service.core.blobs.createBucket(account, `short-${process.pid}`);
    for (const name of [bucket.name, buckets[0]]) await put(member, `/favorites/bucket/${name}`);
    await service.service.core.blobs.deleteBucket(bucket);
    expect(favoritesOf(await organizationOf(member))).toEqual([buckets[0]]);
    await workspace.call('PUT', `/roles/${member.roleId}`, { permissions: [] });
    expect(favoritesOf(await organizationOf(member))).toEqual([]);
    expect(outcome(await member.call('DELETE', path(`/favorites/bucket/${buckets[0]}`)))).toEqual([200]);
  });

  it('end with the membership', async () => {
    await put(member, `/favorites/bucket/${buckets[0]}`);
    await createFolder(member, { name: 'kept?' });
    await workspace.call('DELETE', `/members/${member.user.id}`);
    await workspace.join(member, member.roleId);
    expect(await organizationOf(member)).toEqual({ folders: [], favorites: [] });
  });
});

describe('each change of the organization', () => {
  it('is in the activity log once, repetitions are not', async () => {
    const { id } = await createFolder(member, { name: 'logged' });
    await member.call('PATCH', path(`/folders/${id}`), { body: { color: 'green' } });
    const resource = `/folders/${id}/resources/bucket/${buckets[0]}`;
    for (const rest of [resource, `/favorites/bucket/${buckets[0]}`])
      for (const method of ['PUT', 'PUT', 'DELETE', 'DELETE']) await member.call(method, path(rest));
    await member.call('DELETE', path(`/folders/${id}`));
    // Sorted, because the clocks of replicas differ by milliseconds.
    expect((await actionsBy(member)).toSorted()).toEqual([
      'favorite.added',
      'favorite.removed',
      'folder.changed',
      'folder.created',
      'folder.deleted',
      'folder.resource_added',
      'folder.resource_removed',
      'workspace_member.joined',
    ]);
  });
});

describe('personal folders and favorites', () => {
  it('hold the own buckets and are apart from those in workspaces', async () => {
    const { owner } = workspace;
    const folder = expectStatus(await owner.call<FolderRecord>('POST', '/v1/users/me/folders', { body: { name: 'Own' } }), 201);
    const base = `/v1/users/me/folders/${folder.id}`;
    expectStatus(await owner.call('PUT', `${base}/resources/bucket/${buckets[1]}`), 200);
    expectStatus(await owner.call('PUT', `/v1/users/me/favorites/bucket/${buckets[0]}`, { body: { position: 0 } }), 200);
    expect(outcome(await member.call('PUT', `/v1/users/me/favorites/bucket/${buckets[0]}`))).toEqual([404, 'NOT_FOUND']);
    const read = async () => expectStatus(await owner.call<Organization>('GET', '/v1/users/me/folders'), 200);
    expect(await read()).toMatchObject({
      folders: [{ name: 'Own', resources: [{ resource_type: 'bucket', resource_id: buckets[1], position: 0 }] }],
      favorites: [{ resource_id: buckets[0] }],
    });
    expect(await organizationOf(owner)).toEqual({ folders: [], favorites: [] });
    expectStatus(await owner.call('PATCH', base, { body: { name: 'Renamed' } }), 200);
    expectStatus(await owner.call('DELETE', `${base}/resources/bucket/${buckets[1]}`), 200);
    expectStatus(await owner.call('DELETE', base), 200);
    expectStatus(await owner.call('DELETE', `/v1/users/me/favorites/bucket/${buckets[0]}`), 200);
    expect(await read()).toEqual({ folders: [], favorites: [] });
    const { activities } = (
      await owner.call<{ activities: { action: string; workspace_id: null }[] }>('GET', '/v1/users/me/activities')
    ).response;
    expect(activities.find(({ action }) => action === 'favorite.removed')?.workspace_id).toBeNull();
  });
});
