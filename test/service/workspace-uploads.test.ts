import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { withMetadata } from './change-key.js';
import { createKey } from './session-client.js';
import type { SignedInUser } from './session-client.js';
import { TestService } from './support.js';
import { createWorkspace, expectStatus } from './workspace-client.js';
import type { TestWorkspace } from './workspace-client.js';

let service: TestService;
beforeAll(async () => void (service = await TestService.start()));
afterAll(() => service.stop());

type Member = SignedInUser & { roleId: string };

interface InterruptedUpload {
  path: string;
  method: string;
  headers: Record<string, string>;
  /** The second half of the body is sent after the change. */
  halves: [Uint8Array, Uint8Array];
}

/** Sends uploads to one process, and runs a change when all are authorized and have sent half of their bodies. */
async function interrupt(uploads: readonly InterruptedUpload[], change: () => Promise<unknown>): Promise<Response[]> {
  const find = vi.spyOn(service.service.core.memberships, 'find');
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const responses = uploads.map(({ path, method, headers, halves: [first, second] }) => {
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        controller.enqueue(first);
        await released;
        controller.enqueue(second);
        controller.close();
      },
    });
    return fetch(service.ownUrl + path, { method, headers, body, duplex: 'half' } as RequestInit);
  });
  const authorized = () => find.mock.settledResults.filter(({ type }) => type === 'fulfilled').length;
  await vi.waitFor(() => expect(authorized()).toBe(uploads.length), { timeout: 30_000 });
  find.mockRestore();
  await change();
  release();
  return Promise.all(responses);
}

const bytes = (text: string) => new TextEncoder().encode(text);
const halves: [Uint8Array, Uint8Array] = [new Uint8Array(300_000), new Uint8Array(10)];

/** Ways in which a member loses the right to write. Changes go to any replica. */
const ENDS: [string, (workspace: TestWorkspace, member: Member) => Promise<unknown>][] = [
  ['is removed', async (workspace, member) => expectStatus(await workspace.call('DELETE', `/members/${member.user.id}`), 200)],
  [
    'gets another role',
    async (workspace, member) => {
      const { id } = await workspace.roleNamed('admin');
      expectStatus(await workspace.call('PUT', `/members/${member.user.id}`, { role_id: id }), 200);
    },
  ],
  [
    'has a role that loses blob:manage',
    async (workspace, member) =>
      expectStatus(await workspace.call('PUT', `/roles/${member.roleId}`, { permissions: ['blob:read'] }), 200),
  ],
  [
    'expires',
    (_, { user }) =>
      withMetadata(service.dataDir, (metadata) =>
        metadata.write((query) =>
          query.updateTable('workspace_members').set({ expires_at: 1 }).where('user_id', '=', user.id).execute(),
        ),
      ),
  ],
  ['stays while the workspace is deleted', async (workspace) => expectStatus(await workspace.call('DELETE'), 200)],
  [
    'stays while the workspace is transferred',
    async (workspace) => {
      const heir = await workspace.member([]);
      expectStatus(await workspace.call('POST', '/transfer', { user_id: heir.user.id }), 200);
    },
  ],
];

const DENIED = 'WORKSPACE_PERMISSION_DENIED';

describe.each(ENDS)('a member who %s during an upload', (_, end) => {
  let workspace: TestWorkspace;
  let member: Member;
  let headers: Record<string, string>;
  beforeAll(async () => {
    workspace = await createWorkspace(service);
    member = await workspace.member(['blob:read', 'blob:manage']);
    headers = { Authorization: `Bearer ${(await createKey(service, member.user.id, ['blob:read', 'blob:write'])).secret}` };
  });
  const paths = async () => {
    const { files } = (await workspace.owner.call<{ files: { path: string }[] }>('GET', '/v1/files')).response;
    return files.map(({ path }) => path);
  };
  it('stores nothing with any kind of upload', async () => {
    const created = await fetch(`${service.ownUrl}/v1/uploads${workspace.query}`, {
      method: 'POST',
      headers: {
        ...headers,
        'Tus-Resumable': '1.0.0',
        'Upload-Length': '300010',
        'Upload-Metadata': `filename ${btoa('tus.bin')}`,
      },
    });
    const location = created.headers.get('location')!;
    const form = (name: string): [Uint8Array, Uint8Array] => [
      bytes(`--b\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\nfirst half `),
      bytes('second half\r\n--b--\r\n'),
    ];
    const typed = { ...headers, 'Content-Type': 'multipart/form-data; boundary=b' };
    const tus = {
      ...headers,
      'Tus-Resumable': '1.0.0',
      'Upload-Offset': '0',
      'Content-Type': 'application/offset+octet-stream',
    };
    const { query } = workspace;
    const responses = await interrupt(
      [
        { path: `/v1/files/put.bin${query}`, method: 'PUT', headers, halves },
        { path: `/v1/files${query}`, method: 'POST', headers: typed, halves: form('form.bin') },
        { path: `/v1/files/batch${query}`, method: 'POST', headers: typed, halves: form('batch.bin') },
        { path: location, method: 'PATCH', headers: tus, halves },
      ],
      () => end(workspace, member),
    );
    const texts = await Promise.all(
      responses.map(async (response) => [response.status, /"code":"(\w+)"/.exec(await response.text())?.[1]]),
    );
    expect(texts).toEqual([
      [403, DENIED],
      [403, DENIED],
      [200, DENIED],
      [403, DENIED],
    ]);
    expect(await paths()).toEqual([]);
  });
});

describe('a member who stays', () => {
  it('stores the same uploads', async () => {
    const workspace = await createWorkspace(service);
    const member = await workspace.member(['blob:read', 'blob:manage']);
    const { secret } = await createKey(service, member.user.id, ['blob:read', 'blob:write']);
    const headers = { Authorization: `Bearer ${secret}` };
    const path = `/v1/files/put.bin${workspace.query}`;
    const [response] = await interrupt([{ path, method: 'PUT', headers, halves }], async () => {});
    expect(response!.status).toBe(201);
    await response!.text();
  });
});
