import { createHash } from 'node:crypto';
import type { TestEndpoint } from './start-endpoint.js';

export type Folder = 'a' | 'b';

/** Targets of requests. All belong to account `main`. */
export interface RequestTargets {
  n: number;
  uploads: Record<Folder, { id: string; etag: string }>;
}

export interface CommandRequest {
  path: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: string;
}

export const secretOf = (folder: Folder): string => `object of folder ${folder}`;
const keyOf = (folder: Folder, { n }: RequestTargets) => `${folder}/secret-${n}`;
const other = (folder: Folder): Folder => (folder === 'a' ? 'b' : 'a');
const md5 = (text: string) => createHash('md5').update(text).digest('base64');
const xml = (body: string) => ({ body, headers: { 'content-md5': md5(body) } });

const CORS =
  '<CORSConfiguration><CORSRule><AllowedOrigin>https://a.example</AllowedOrigin><AllowedMethod>GET</AllowedMethod></CORSRule></CORSConfiguration>';
const TAGS = '<Tagging><TagSet><Tag><Key>k</Key><Value>v</Value></Tag></TagSet></Tagging>';

/** Expected responses (status and code) for key pairs: all rights, read-only, limited to `a/` (inside and outside of it), another account. */
type ExpectedResponses = [full: string, readOnly: string, inside: string, outside: string, stranger: string];

const DENIED = '403 AccessDenied';
/** Commands that read objects or list below a prefix. */
const READS: ExpectedResponses = ['200', '200', '200', DENIED, DENIED];
/** Commands that read settings of the bucket. */
const READS_BUCKET: ExpectedResponses = ['200', '200', DENIED, DENIED, DENIED];
/** Commands that every key pair of the account may use. */
const READS_ANY: ExpectedResponses = ['200', '200', '200', '200', DENIED];
const writes = (success = '200'): ExpectedResponses => [success, DENIED, success, DENIED, DENIED];
const writesBucket = (success = '200'): ExpectedResponses => [success, DENIED, DENIED, DENIED, DENIED];

const onBucket =
  (query: Record<string, string> = {}) =>
  (): CommandRequest => ({ path: '/main', query });
const below = (_: RequestTargets, folder: Folder): CommandRequest => ({ path: '/main', query: { prefix: `${folder}/` } });
const onObject =
  (more: Omit<CommandRequest, 'path'> = {}) =>
  (targets: RequestTargets, folder: Folder): CommandRequest => ({ path: `/main/${keyOf(folder, targets)}`, ...more });
const onUpload =
  (more: (targets: RequestTargets, folder: Folder) => Omit<CommandRequest, 'path'> = () => ({})) =>
  (targets: RequestTargets, folder: Folder): CommandRequest => {
    const { query, ...rest } = more(targets, folder);
    const uploadId = targets.uploads[folder].id;
    return { path: `/main/${folder}/upload-${targets.n}`, query: { uploadId, ...query }, ...rest };
  };
const copyFrom = (targets: RequestTargets, folder: Folder) => ({ 'x-amz-copy-source': `main/${keyOf(folder, targets)}` });

/** A request for every command, without its method and query flags. The key pair with all rights proves that each can succeed. */
export const COMMANDS: [
  name: string,
  responses: ExpectedResponses,
  request: (targets: RequestTargets, folder: Folder) => CommandRequest,
][] = [
  ['ListBuckets', ['200', '200', '200', '200', '200'], () => ({ path: '/' })],
  ['CreateBucket', ['200', DENIED, DENIED, DENIED, '409 BucketAlreadyExists'], onBucket()],
  ['DeleteBucket', writesBucket('204'), ({ n }) => ({ path: `/more-${n}` })],
  ['HeadBucket', READS_ANY, onBucket()],
  ['GetBucketLocation', READS_ANY, onBucket()],
  ['GetBucketVersioning', READS_ANY, onBucket()],
  ['GetBucketAcl', READS_BUCKET, onBucket()],
  ['PutBucketAcl', writesBucket(), () => ({ path: '/main', headers: { 'x-amz-acl': 'public-read' } })],
  ['GetBucketCors', READS_BUCKET, onBucket()],
  ['PutBucketCors', writesBucket(), () => ({ path: '/main', ...xml(CORS.replace('a.', 'b.')) })],
  ['DeleteBucketCors', writesBucket('204'), onBucket()],
  ['GetBucketTagging', READS_BUCKET, onBucket()],
  ['PutBucketTagging', writesBucket('204'), () => ({ path: '/main', ...xml(TAGS.replace('>v<', '>w<')) })],
  ['DeleteBucketTagging', writesBucket('204'), onBucket()],

  ['ListObjects', READS, below],
  ['ListObjects', READS_BUCKET, onBucket()],
  ['ListObjectsV2', READS, below],
  ['ListObjectsV2', READS_BUCKET, onBucket({ 'list-type': '2' })],
  ['ListObjectVersions', READS, below],
  ['ListObjectVersions', READS_BUCKET, onBucket()],
  ['ListMultipartUploads', READS, below],
  ['ListMultipartUploads', READS_BUCKET, onBucket()],

  ['GetObject', READS, onObject()],
  ['HeadObject', READS, onObject()],
  ['GetObjectAcl', READS, onObject()],
  ['GetObjectAttributes', READS, onObject({ headers: { 'x-amz-object-attributes': 'ETag,ObjectSize' } })],
  ['GetObjectTagging', READS, onObject()],
  ['PutObject', writes(), onObject({ body: 'new' })],
  ['PutObject', writesBucket(), ({ n }, folder) => ({ path: `/more-${n}/${folder}/new`, body: 'new' })],
  ['PutObjectAcl', writes(), onObject({ headers: { 'x-amz-acl': 'public-read' } })],
  ['PutObjectTagging', writes(), onObject(xml(TAGS))],
  ['DeleteObjectTagging', writes('204'), onObject()],
  ['DeleteObject', writes('204'), onObject()],
  [
    'DeleteObjects',
    ['200', DENIED, '200', '200 AccessDenied', DENIED],
    (targets, folder) => ({ path: '/main', ...xml(`<Delete><Object><Key>${keyOf(folder, targets)}</Key></Object></Delete>`) }),
  ],
  ['CopyObject', writes(), (targets, folder) => ({ path: `/main/${folder}/copy`, headers: copyFrom(targets, folder) })],
  [
    'CopyObject',
    writesBucket(),
    (targets, folder) => ({ path: `/main/${folder}/copy`, headers: copyFrom(targets, other(folder)) }),
  ],
  [
    'CopyObject',
    [DENIED, DENIED, DENIED, DENIED, DENIED],
    (targets, folder) => ({ path: `/stranger/${folder}/copy`, headers: copyFrom(targets, folder) }),
  ],

  ['CreateMultipartUpload', writes(), ({ n }, folder) => ({ path: `/main/${folder}/begun-${n}` })],
  ['ListParts', READS, onUpload()],
  ['UploadPart', writes(), onUpload(() => ({ query: { partNumber: '2' }, body: 'new' }))],
  [
    'UploadPartCopy',
    writes(),
    onUpload((targets, folder) => ({ query: { partNumber: '2' }, headers: copyFrom(targets, folder) })),
  ],
  [
    'UploadPartCopy',
    writesBucket(),
    onUpload((targets, folder) => ({ query: { partNumber: '2' }, headers: copyFrom(targets, other(folder)) })),
  ],
  [
    'CompleteMultipartUpload',
    writes(),
    onUpload(({ uploads }, folder) => ({
      body: `<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>${uploads[folder].etag}</ETag></Part></CompleteMultipartUpload>`,
    })),
  ],
  ['AbortMultipartUpload', writes('204'), onUpload()],
  [
    'AbortMultipartUpload',
    writes('404 NoSuchUpload'),
    onUpload(({ uploads }, folder) => ({ query: { uploadId: uploads[other(folder)].id } })),
  ],
];

/** Stores the targets of the requests: private objects and multipart uploads in both folders, a bucket, and settings of the main bucket. */
export async function createTargets(endpoint: TestEndpoint, n: number): Promise<RequestTargets> {
  const send = async (...[method, path, options]: Parameters<TestEndpoint['send']>) => {
    const response = await endpoint.send(method, path, options);
    if (response.status >= 300) throw new Error(`${method} ${path}: ${response.text}`);
    return response;
  };
  const upload = async (folder: Folder) => {
    const path = `/main/${folder}/upload-${n}`;
    const id = /<UploadId>([^<]+)/.exec((await send('POST', path, { query: { uploads: '' } })).text)![1]!;
    const part = await send('PUT', path, { query: { uploadId: id, partNumber: '1' }, body: secretOf(folder) });
    return { id, etag: part.headers.get('etag')! };
  };
  const [a, b] = await Promise.all([
    upload('a'),
    upload('b'),
    send('PUT', `/main/a/secret-${n}`, { body: secretOf('a') }),
    send('PUT', `/main/b/secret-${n}`, { body: secretOf('b') }),
    send('PUT', `/more-${n}`),
    send('PUT', '/main', { query: { acl: '' }, headers: { 'x-amz-acl': 'private' } }),
    send('PUT', '/main', { query: { cors: '' }, ...xml(CORS) }),
    send('PUT', '/main', { query: { tagging: '' }, ...xml(TAGS) }),
  ]);
  return { n, uploads: { a, b } };
}
