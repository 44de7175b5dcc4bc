import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SignedInUser } from './session-client.js';
import { signIn } from './session-client.js';
import { TestService } from './support.js';
import { createWorkspace } from './workspace-client.js';

let service: TestService;
beforeAll(async () => {
  service = await TestService.start();
});
afterAll(() => service.stop());

/** Creates the n-th record. */
type Create = (user: SignedInUser, n: number) => ReturnType<SignedInUser['call']>;

const post = (user: SignedInUser, path: string, body: object) => user.call('POST', path, { body });

async function createInWorkspace(path: string, bodyOf: (n: number, roleId: string) => object): Promise<[SignedInUser, Create]> {
  const workspace = await createWorkspace(service);
  const { id } = await workspace.roleNamed('viewer');
  return [workspace.owner, (user, n) => post(user, `/v1/workspaces/${workspace.id}${path}`, bodyOf(n, id))];
}

const createOwn = async (path: string, bodyOf: (n: number) => object): Promise<[SignedInUser, Create]> => [
  await signIn(service),
  (user, n) => post(user, path, bodyOf(n)),
];

describe('one record more than an account may have', () => {
  it.each([
    ['too_many_rules', 100, () => createOwn('/v1/rules', (n) => ({ prefix: `folder-${n}`, visibility: 'public' }))],
    ['too_many_domains', 100, () => createOwn('/v1/domains', (n) => ({ host: `h${n}.example.org` }))],
    ['too_many_s3_credentials', 100, () => createOwn('/v1/s3-credentials', (n) => ({ name: `Pair ${n}` }))],
    ['too_many_workspaces', 100, () => createOwn('/v1/workspaces', (n) => ({ name: `Team ${n}` }))],
    ['too_many_invites', 100, () => createInWorkspace('/invites', (_, role_id) => ({ role_id }))],
    ['too_many_roles', 50, () => createInWorkspace('/roles', (n) => ({ name: `Role ${n}`, permissions: ['blob:read'] }))],
    ['too_many_folders', 100, () => createInWorkspace('/folders', (n) => ({ name: `Folder ${n}`, color: 'blue' }))],
  ] as const)('is refused with the reason %s and the limit %i', async (reason, limit, start) => {
    const [user, create] = await start();
    let response = await create(user, 0);
    for (let n = 1; response.status === 201; n++) response = await create(user, n);
    expect(response.error).toMatchObject({ code: 'VALIDATION_ERROR', details: { reason, limit } });
  });
});
