import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TestEndpoint } from '../s3-endpoint/start-endpoint.js';
import { installPackages } from '../support/debian.js';
import { DIFFERENT, OLD_BOTO3, OUT_OF_SCOPE } from './s3-tests-differences.js';

/**
 * `npm run conformance` runs the suite of the Ceph project (github.com/ceph/s3-tests) against the endpoint. S3_TESTS names a checkout of the
 * suite. The run fails if the failing tests differ from `s3-tests-differences.ts`.
 */
const PACKAGES = ['boto3', 'pytest', 'munch', 'httplib2', 'requests', 'dateutil', 'isodate', 'yaml', 'tz', 'lxml'].map(
  (name) => `python3-${name}`,
);

async function main(): Promise<void> {
  const suite = process.env['S3_TESTS'];
  if (!suite) throw new Error('S3_TESTS must name a checkout of github.com/ceph/s3-tests.');
  if (!installPackages(PACKAGES, ['/usr/bin/python3', '/usr/bin/pytest-3']))
    throw new Error(`These Debian packages are missing: ${PACKAGES.join(' ')}`);
  const endpoint = await TestEndpoint.start();
  const folder = await mkdtemp(join(tmpdir(), 'svc-s3-tests-'));
  try {
    await writeFile(join(folder, 's3.conf'), await configuration(endpoint));
    const report = join(folder, 'report.xml');
    await pytest(suite, join(folder, 's3.conf'), report);
    compareWithDifferences(parseReport(await readFile(report, 'utf8')));
  } finally {
    await endpoint.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** The suite needs several users. Each is an account with a key pair. */
async function configuration(endpoint: TestEndpoint): Promise<string> {
  const url = new URL(endpoint.url);
  const section = async (name: string, account: string, more = '') => {
    await endpoint.service.core.accounts.ensure(account);
    const { accessKeyId, secretAccessKey } = await endpoint.newPair({ name: 's3-tests' }, account);
    return `[${name}]\ndisplay_name = ${account}\nuser_id = ${account}\nemail = ${account}@example.com\napi_name =\naccess_key = ${accessKeyId}\nsecret_key = ${secretAccessKey}\n${more}`;
  };
  return [
    `[DEFAULT]\nhost = localhost\nport = ${url.port}\nis_secure = False\nssl_verify = False`,
    '[fixtures]\nbucket prefix = suite-{random}-\niam name prefix = s3-tests-\niam path prefix = /s3-tests/',
    await section('s3 main', 'main'),
    await section('s3 alt', 'second'),
    await section('s3 tenant', 'third', 'tenant = testx\n'),
    await section('iam', 'main'),
    await section('iam root', 'main'),
    await section('iam alt root', 'second'),
    '[webidentity]\ntoken = -\naud = -\nsub = -\nazp = -\nuser_token = -\nthumbprint = -\nKC_REALM = -\n',
  ].join('\n');
}

function pytest(suite: string, conf: string, report: string): Promise<void> {
  const chosen = OUT_OF_SCOPE.map((word) => `not ${word}`).join(' and ');
  const args = [
    '-q',
    '-p',
    'no:cacheprovider',
    '--tb=line',
    `--junitxml=${report}`,
    '-k',
    chosen,
    's3tests/functional/test_s3.py',
  ];
  // Debian's awscli adds a native runtime to boto3 that fails on bodies with callbacks.
  const env = { ...process.env, S3TEST_CONF: conf, BOTO_DISABLE_CRT: 'true' };
  return new Promise((resolve, reject) => {
    const child = execFile('/usr/bin/pytest-3', args, { cwd: suite, env, maxBuffer: 64 * 1024 ** 2 });
    child.stdout!.pipe(process.stdout);
    child.stderr!.pipe(process.stderr);
    child.once('error', reject);
    // The report contains the failed tests.
    child.once('exit', () => resolve());
  });
}

/** Returns the names of the tests by outcome. */
function parseReport(xml: string): { passed: string[]; failed: string[] } {
  const outcome = { passed: [] as string[], failed: [] as string[] };
  for (const [, name, rest] of xml.matchAll(/<testcase [^>]*?\bname="([^"]+)"[^>]*?(\/>|>[\s\S]*?<\/testcase>)/g)) {
    if (/<(failure|error)\b/.test(rest!)) outcome.failed.push(name!);
    else if (!rest!.includes('<skipped')) outcome.passed.push(name!);
  }
  return outcome;
}

function compareWithDifferences({ passed, failed }: { passed: string[]; failed: string[] }): void {
  const newFailures = failed.filter((name) => !(name in DIFFERENT));
  const newPasses = passed.filter((name) => name in DIFFERENT && DIFFERENT[name] !== OLD_BOTO3);
  console.log(`${passed.length} pass, ${failed.length} differ`);
  for (const name of newFailures) console.error(`${name} fails`);
  for (const name of newPasses) console.error(`${name} passes now; remove it from the list`);
  if (newFailures.length + newPasses.length > 0 || passed.length === 0) process.exitCode = 1;
}

await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
