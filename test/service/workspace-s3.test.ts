import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { withMetadata } from './change-key.js';
import { accountOf } from './session-client.js';
import type { SignedInUser } from './session-client.js';
import { TestService } from './support.js';
import { createWorkspace, expectStatus } from './workspace-client.js';
import type { TestWorkspace } from './workspace-client.js';

let service: TestService;
let workspace: TestWorkspace;
let Bucket: string;
let member: SignedInUser & { roleId: string };
let s3: S3Client;
let accessKeyId: string;
beforeAll(async () => {
  service = await TestService.start({ s3Port: 0 });
  workspace = await createWorkspace(service);
  Bucket = await accountOf(service, workspace.owner.user.id);
});
afterAll(() => service.stop());
beforeEach(async () => {
  member = await workspace.member(['blob:read', 'blob:manage']);
  const pair = expectStatus(
    await member.call<{ access_key_id: string; secret_access_key: string }>('POST', `/v1/s3-credentials${workspace.query}`, {
      body: {},
    }),
    201,
  );
  accessKeyId = pair.access_key_id;
  s3 = new S3Client({
    endpoint: service.s3Url!,
    region: 'us-east-1',
    forcePathStyle: true,
    maxAttempts: 1,
    credentials: { accessKeyId, secretAccessKey: pair.secret_access_key },
  });
});

const put = (Key: string) => s3.send(new PutObjectCommand({ Bucket, Key, Body: 'x' }));
const get = (Key: string) => s3.send(new GetObjectCommand({ Bucket, Key }));
const failure = (name: string) => expect.objectContaining({ name });
const remove = async () => expectStatus(await workspace.call('DELETE', `/members/${member.user.id}`), 200);

describe('an S3 key pair that a member created', () => {
  it('opens the storage of the owner and ends with the membership', async () => {
    await put('s3.txt');
    const { files } = (await workspace.owner.call<{ files: { path: string }[] }>('GET', '/v1/files')).response;
    expect(files.map(({ path }) => path)).toContain('s3.txt');
    await remove();
    await expect(put('late.txt')).rejects.toEqual(failure('InvalidAccessKeyId'));
    await expect(get('s3.txt')).rejects.toEqual(failure('InvalidAccessKeyId'));
    await workspace.join(member, member.roleId);
    await expect(get('s3.txt')).rejects.toEqual(failure('InvalidAccessKeyId'));
  });

  it('reads without writing after the role loses blob:manage', async () => {
    await put('kept.txt');
    expectStatus(await workspace.call('PUT', `/roles/${member.roleId}`, { permissions: ['blob:read'] }), 200);
    await expect(put('late.txt')).rejects.toEqual(failure('AccessDenied'));
    expect((await get('kept.txt')).$metadata.httpStatusCode).toBe(200);
  });

  it('writes one entry for a bulk deletion to the log of the workspace, with the member as author', async () => {
    const { ETag } = await put('one.txt');
    await put('two.txt');
    await put('changed.txt');
    const deletion = new DeleteObjectsCommand({
      Bucket,
      Delete: {
        Objects: [
          { Key: 'one.txt', ETag },
          { Key: 'two.txt' },
          { Key: 'missing.txt' },
          { Key: 'changed.txt', ETag: '"other"' },
          { Key: 'one.txt', VersionId: 'x' },
        ],
      },
    });
    const { Deleted, Errors } = await s3.send(deletion);
    expect(Deleted!.map(({ Key }) => Key)).toEqual(['one.txt', 'two.txt', 'missing.txt']);
    expect(Errors!.map(({ Key, Code }) => [Key, Code])).toEqual([
      ['changed.txt', 'PreconditionFailed'],
      ['one.txt', 'NoSuchVersion'],
    ]);
    await expect(get('one.txt')).rejects.toEqual(failure('NoSuchKey'));
    expect((await get('changed.txt')).$metadata.httpStatusCode).toBe(200);
    // A deletion of nothing changes nothing.
    await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects: [{ Key: 'one.txt' }] } }));
    const log = await withMetadata(service.dataDir, ({ db }) =>
      db
        .selectFrom('activities')
        .selectAll()
        .where('workspace_id', '=', workspace.id)
        .where('action', '=', 'files.deleted')
        .execute(),
    );
    expect(log.map(({ author_id, origin, details_json }) => [author_id, origin, JSON.parse(details_json)])).toEqual([
      [member.user.id, 'api_key', { count: 2, paths: expect.arrayContaining(['one.txt', 'two.txt']) }],
    ]);
  });

  it('completes no multipart upload after the removal', async () => {
    const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key: 'parts.bin' }));
    const part = { Bucket, Key: 'parts.bin', UploadId };
    const { ETag } = await s3.send(new UploadPartCommand({ ...part, PartNumber: 1, Body: 'x' }));
    await remove();
    const complete = new CompleteMultipartUploadCommand({ ...part, MultipartUpload: { Parts: [{ PartNumber: 1, ETag }] } });
    await expect(s3.send(complete)).rejects.toEqual(failure('InvalidAccessKeyId'));
  });

  it('is deleted by the sweep after the removal, with shares of the member', async () => {
    await put('shared.txt');
    const share = await member.call<{ id: string }>('POST', `/v1/shares${workspace.query}`, { body: { path: 'shared.txt' } });
    const stored = () =>
      withMetadata(service.dataDir, async ({ db }) => [
        await db.selectFrom('s3_credentials').select('id').where('id', '=', accessKeyId).execute(),
        await db.selectFrom('shares').select('id').where('id', '=', share.response.id).execute(),
      ]);
    await service.service.core.blobs.sweep();
    expect(await stored()).toEqual([[{ id: accessKeyId }], [{ id: share.response.id }]]);
    await remove();
    await service.service.core.blobs.sweep();
    expect(await stored()).toEqual([[], []]);
  });
});
