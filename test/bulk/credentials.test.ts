import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createBulkTransfer } from '../../src/bulk/node/index.js';
import { runCommand } from '../cli/run-command.js';

const LISTING = '<?xml version="1.0"?><ListBucketResult><Name>bucket</Name><IsTruncated>false</IsTruncated></ListBucketResult>';
const roleResponse = (action: string): string =>
  `<${action}Response xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><${action}Result><Credentials><AccessKeyId>ROLE</AccessKeyId>` +
  '<SecretAccessKey>secret</SecretAccessKey><SessionToken>token</SessionToken><Expiration>2099-01-01T00:00:00Z</Expiration>' +
  `</Credentials></${action}Result></${action}Response>`;

describe('svc-blob credentials', () => {
  let server: Server;
  let url: string;
  let home: string;
  /** Requests to the server, which is store and STS in one: action, access key and region. */
  let requests: string[];
  let refuses: (key: string) => boolean;
  beforeEach(async () => {
    requests = [];
    refuses = () => false;
    server = createServer((request, response) => {
      let body = '';
      request.on('data', (piece) => (body += piece));
      request.on('end', () => {
        const action = /Action=(\w+)/.exec(body)?.[1];
        const [, key = '', region = ''] = /Credential=([^/]+)\/\d+\/([^/]+)/.exec(request.headers.authorization ?? '') ?? [];
        requests.push(`${action ?? 'list'} ${key} ${region}`.trim());
        response.setHeader('content-type', 'text/xml');
        const refusal = '<Error><Code>ExpiredToken</Code><Message>Too late.</Message></Error>';
        if (refuses(key))
          response.writeHead(400).end(action === undefined ? refusal : `<ErrorResponse>${refusal}</ErrorResponse>`);
        else response.end(action === undefined ? LISTING : roleResponse(action));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    home = mkdtempSync(join(tmpdir(), 'home-'));
    mkdirSync(join(home, '.aws'));
    const keys = (name: string) => `[${name}]\naws_access_key_id = ${name.toUpperCase()}\naws_secret_access_key = secret\n`;
    writeFileSync(join(home, '.aws/credentials'), keys('default') + keys('ops') + keys('base'));
    writeFileSync(
      join(home, '.aws/config'),
      '[profile ops]\nregion = eu-north-1\n[profile role]\nsource_profile = base\nrole_arn = arn:aws:iam::123456789012:role/r\n',
    );
  });
  afterEach(() => {
    server.close();
    server.closeAllConnections();
    rmSync(home, { recursive: true, force: true });
  });

  const ls = (environment: Record<string, string>, ...flags: string[]) =>
    runCommand(['ls', 's3://bucket', '--endpoint', url, ...flags], { HOME: home, AWS_ENDPOINT_URL_STS: url, ...environment });

  it('that are missing are reported with the credential_process that returned none', async () => {
    writeFileSync(join(home, '.aws/config'), '[profile made]\ncredential_process = /no/such/command --token hidden\n');
    const outcome = await ls({ AWS_EC2_METADATA_DISABLED: 'true' }, '--profile', 'made');
    expect(outcome.stderr).toContain(
      'CredentialsMissing: The credential_process of the profile gave no credentials: /no/such/command (',
    );
    expect(outcome.stderr).not.toContain('hidden');
  });

  it.each([
    [{}, 'No credentials: neither AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY nor a default profile is set.'],
    [{ AWS_ACCESS_KEY_ID: 'A' }, 'No complete credentials: AWS_SECRET_ACCESS_KEY is not set.'],
  ])('that are missing are reported with the settings to provide: %j', async (environment, message) => {
    rmSync(join(home, '.aws'), { recursive: true });
    const { status, stderr } = await ls({ AWS_EC2_METADATA_DISABLED: 'true', ...environment });
    expect(status).toBe(1);
    expect(stderr).toContain(`svc-blob: CredentialsMissing: ${message}\nSet AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or`);
    expect(requests).toEqual([]);
  });

  it.each([
    [
      'source_profile = nope\nrole_arn = arn:aws:iam::123456789012:role/r',
      /The profile made names nope as its source_profile, but/,
    ],
    [
      'source_profile = half\nrole_arn = arn:aws:iam::123456789012:role/r',
      /The profile half has aws_access_key_id but no aws_secret_access_key\.\n/,
    ],
    ['aws_secret_access_key = s', /The profile made has aws_secret_access_key but no aws_access_key_id\.\n/],
    ['credential_process = /bin/echo hidden', /\/bin\/echo \(Profile made credential_process returned invalid JSON\)\n/],
    ['credential_process = /bin/sh -c "echo hidden >&2; false"', /gave no credentials: \/bin\/sh\n/],
    ['credential_process = /bin/sh ./fails', /gave no credentials: \/bin\/sh \(the vault is shut\)\n/],
  ])('that are incomplete are reported with the mistake in the profile: %s', async (lines, why) => {
    writeFileSync(join(home, 'fails'), 'echo one >&2; echo the vault is shut >&2; exit 1');
    const config = lines.replace('./fails', join(home, 'fails'));
    writeFileSync(join(home, '.aws/config'), `[profile half]\naws_access_key_id = H\n[profile made]\n${config}\n`);
    const outcome = await ls({ AWS_EC2_METADATA_DISABLED: 'true' }, '--profile', 'made');
    expect(outcome).toMatchObject({ status: 1, stderr: expect.stringMatching(why) });
    expect(outcome.stderr).toMatch(/^svc-blob: CredentialsMissing: .*\nFix the profile/);
    expect(outcome.stderr).not.toContain('hidden');
  });

  it('of a role are requested from us-east-1 without a region, and a response without a reason is reported by its status', async () => {
    expect(await ls({}, '--profile', 'role')).toMatchObject({ status: 0, stderr: '' });
    expect(requests).toEqual(['AssumeRole BASE us-east-1', 'list ROLE us-east-1']);
    for (const body of ['', '<html>']) {
      const silent = createServer((request, response) => {
        request.resume().once('end', () => response.writeHead(403).end(body));
      }).listen(0, '127.0.0.1');
      await once(silent, 'listening');
      const { port } = silent.address() as AddressInfo;
      const outcome = await ls({ AWS_ENDPOINT_URL_STS: `http://127.0.0.1:${port}` }, '--profile', 'role');
      silent.close();
      expect(outcome.stderr).toContain('CredentialsMissing: The credential service responded with status 403 and no reason.\n');
    }
  });

  it('come from a profile whose name is quoted', async () => {
    writeFileSync(join(home, '.aws/config'), `[profile "dev"]\nregion = eu-a\n[profile 'with']\nregion = eu-b\n`);
    writeFileSync(join(home, '.aws/credentials'), '[dev]\naws_access_key_id = DEV\naws_secret_access_key = s\n');
    await ls({}, '--profile', 'dev');
    expect(requests).toEqual(['list DEV eu-a']);
  });

  it('that STS refuses are reported with its message', async () => {
    const role = 'source_profile = base\nrole_arn = arn:aws:iam::123456789012:role/r\n';
    writeFileSync(join(home, '.aws/config'), `[profile both]\ncredential_process = /no/such/command\n${role}`);
    refuses = (key) => key === 'BASE';
    const outcome = await ls({ AWS_EC2_METADATA_DISABLED: 'true' }, '--profile', 'both', '--region', 'eu-west-3');
    expect(requests).toEqual([expect.stringMatching(/^AssumeRole BASE/)]);
    expect(outcome).toMatchObject({ status: 1, stderr: expect.stringContaining('CredentialsMissing: Too late.') });
  });

  it('are never sent to an https endpoint that does not speak TLS', async () => {
    const outcome = await ls({}, '--endpoint', url.replace('http:', 'https:'));
    expect(outcome).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/NotS3: 127\.0\.0\.1:\d+ does not speak TLS[^]*--endpoint/),
    });
    expect(requests).toEqual([]);
  });

  it('come from the same profile as the region, whichever variable selects it', async () => {
    for (const variable of ['AWS_PROFILE', 'AWS_DEFAULT_PROFILE'])
      expect(await ls({ [variable]: 'ops' })).toMatchObject({ status: 0, stderr: '' });
    expect(await ls({})).toMatchObject({ status: 0, stderr: '' });
    // As in the AWS tools, keys of the environment win over AWS_PROFILE, but not over --profile.
    const keys = { AWS_ACCESS_KEY_ID: 'ENV', AWS_SECRET_ACCESS_KEY: 'secret', AWS_PROFILE: 'ops' };
    await ls(keys);
    await ls(keys, '--profile', 'ops');
    expect(requests).toEqual([
      'list OPS eu-north-1',
      'list OPS eu-north-1',
      'list DEFAULT us-east-1',
      'list ENV eu-north-1',
      'list OPS eu-north-1',
    ]);
  });

  it('of a role are requested in the configured region', async () => {
    expect(await ls({ AWS_PROFILE: 'role', AWS_REGION: 'eu-west-3' })).toMatchObject({ status: 0, stderr: '' });
    expect(await ls({}, '--profile', 'role', '--region', 'ap-south-1')).toMatchObject({ status: 0 });
    expect(requests).toEqual([
      'AssumeRole BASE eu-west-3',
      'list ROLE eu-west-3',
      'AssumeRole BASE ap-south-1',
      'list ROLE ap-south-1',
    ]);
  });

  it('of a role are requested through the HTTP proxy', async () => {
    const nowhere = 'http://sts.example.test';
    expect(
      await ls({
        AWS_PROFILE: 'role',
        AWS_ENDPOINT_URL_STS: nowhere,
        AWS_REGION: 'eu-1',
        HTTP_PROXY: url,
        NO_PROXY: '127.0.0.1',
      }),
    ).toMatchObject({ status: 0, stderr: '' });
    expect(requests).toEqual(['AssumeRole BASE eu-1', 'list ROLE eu-1']);
  });

  it('of --profile win over keys of the environment without a warning', async () => {
    const keys = { AWS_ACCESS_KEY_ID: 'ENV', AWS_SECRET_ACCESS_KEY: 'secret', AWS_REGION: 'eu-1' };
    expect(await ls(keys, '--profile', 'role')).toMatchObject({ status: 0, stderr: '' });
    expect(requests.at(-1)).toBe('list ROLE eu-1');
  });

  it('are sent to the endpoint of a profile whatever its letter case, and never to an invalid one', async () => {
    writeFileSync(join(home, '.aws/config'), `[default]\nEndpoint_URL = ${url}\nRegion = eu-2\n`);
    const lsWithoutFlags = (environment: Record<string, string>) =>
      runCommand(['ls', 's3://bucket'], { HOME: home, ...environment });
    expect(await lsWithoutFlags({})).toMatchObject({ status: 0, stderr: '' });
    expect(requests).toEqual(['list DEFAULT eu-2']);
    expect(await lsWithoutFlags({ AWS_ENDPOINT_URL_S3: 'http://a b' })).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('must be an address'),
    });
  });

  it('of a web identity are exchanged for those of a role', async () => {
    const token = join(home, 'token');
    writeFileSync(token, 'header.body.signature');
    const identity = { AWS_WEB_IDENTITY_TOKEN_FILE: token, AWS_ROLE_ARN: 'arn:aws:iam::123456789012:role/r', AWS_REGION: 'eu-1' };
    rmSync(join(home, '.aws'), { recursive: true });
    expect(await ls(identity)).toMatchObject({ status: 0, stderr: '' });
    expect(requests).toEqual(['AssumeRoleWithWebIdentity', 'list ROLE eu-1']);
  });

  it('are requested again once if the store reports that they expired', async () => {
    let issued = 0;
    const bulk = createBulkTransfer({
      endpoint: url,
      credentials: async () => ({ accessKeyId: `K${++issued}`, secretAccessKey: 'secret' }),
    });
    const listAll = async () => {
      for await (const _ of bulk.list({ bucket: 'bucket', prefix: '' }));
    };
    await listAll();
    refuses = (key) => key === 'K1';
    await Promise.all([listAll(), listAll(), listAll()]);
    expect(issued).toBe(2);
    bulk.close();

    requests = [];
    refuses = () => true;
    const fixed = createBulkTransfer({ endpoint: url, credentials: { accessKeyId: 'K', secretAccessKey: 'secret' } });
    const listing = fixed.list({ bucket: 'bucket', prefix: '' }).next();
    await expect(listing).rejects.toMatchObject({ code: 'ExpiredToken' });
    expect(requests).toHaveLength(2);
    fixed.close();
  });
});
