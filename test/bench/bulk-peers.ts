import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Target of a measurement. */
export interface Engine {
  name: string;
  endpoint: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** Path of the certificate of an https endpoint. */
  cert?: string;
}

/** A command line that transfers the same files, or undefined if the tool cannot. */
export interface Peer {
  name: string;
  up(from: string, to: string): string[];
  down(from: string, to: string): string[];
  sync?(from: string, to: string): string[];
  /** The tool sends one request at a time. Thousands of files would take too long. */
  sequential?: true;
  /** The tool needs milliseconds for each small file. Tens of thousands would take too long. */
  slow?: true;
  env?: Record<string, string>;
}

const has = (tool: string): boolean => {
  try {
    execFileSync('which', [tool], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

const node = (script: string, ...args: string[]): string[] => [
  process.execPath,
  '--import',
  'tsx',
  `test/bench/${script}`,
  ...args,
];

const secured = ({ cert }: Engine): string =>
  cert === undefined ? 'use_https = False' : `use_https = True\nca_certs_file = ${cert}`;

/** This product, then every installed peer. `to` and `from` are `bucket/prefix` in S3; local ones are folders, or a file for one object. */
export function peersFor(engine: Engine): Peer[] {
  const state = mkdtempSync(join(tmpdir(), 'bulk-state-'));
  const own = (...args: string[]): string[] => [process.execPath, 'dist/cli.js', ...args, '-q', '--state-dir', state];
  const recursive = (path: string): string[] => (path.endsWith('/') ? ['-r'] : []);
  const peers: Peer[] = [
    {
      name: 'svc-blob',
      up: (from, to) => own('cp', ...recursive(from), from, `s3://${to}`),
      down: (from, to) => own('cp', ...recursive(to), `s3://${from}`, to),
      sync: (from, to) => own('sync', from, `s3://${to}`),
    },
  ];
  if (has('s5cmd')) {
    const all = (path: string): string => (path.endsWith('/') ? `${path}*` : path);
    peers.push({
      name: 's5cmd',
      up: (from, to) => ['s5cmd', '--log', 'error', 'cp', all(from), `s3://${to}`],
      down: (from, to) => ['s5cmd', '--log', 'error', 'cp', all(`s3://${from}`), to],
      sync: (from, to) => ['s5cmd', '--log', 'error', 'sync', all(from), `s3://${to}`],
      env: { S3_ENDPOINT_URL: engine.endpoint },
    });
  }
  if (has('rclone')) {
    const config = join(state, 'rclone.conf');
    const facts = `access_key_id = ${engine.accessKeyId}\nsecret_access_key = ${engine.secretAccessKey}\nregion = ${engine.region}\nendpoint = ${engine.endpoint}`;
    writeFileSync(config, `[s]\ntype = s3\nprovider = Other\n${facts}\n`);
    const rclone = (verb: string, from: string, to: string): string[] => [
      'rclone',
      '--config',
      config,
      verb,
      from,
      to,
      '--transfers',
      '16',
      '--checkers',
      '32',
      '--s3-no-check-bucket',
      '--s3-upload-concurrency',
      '16',
      '--s3-chunk-size',
      '8Mi',
    ];
    const verb = (path: string): string => (path.endsWith('/') ? 'copy' : 'copyto');
    peers.push({
      name: 'rclone',
      up: (from, to) => [...rclone(verb(from), from, `s:${to}`), '--no-check-dest'],
      down: (from, to) => [...rclone(verb(to), `s:${from}`, to), '--no-check-dest'],
      sync: (from, to) => rclone('sync', from, `s:${to}`),
      // The tool reads certificates from SSL_CERT_FILE and refuses this variable.
      env: { AWS_CA_BUNDLE: '' },
    });
  }
  if (has('aws')) {
    const aws = (...args: string[]): string[] => ['aws', '--endpoint-url', engine.endpoint, 's3', ...args, '--only-show-errors'];
    const deep = (path: string): string[] => (path.endsWith('/') ? ['--recursive'] : []);
    peers.push({
      name: 'AWS CLI',
      up: (from, to) => aws('cp', ...deep(from), from, `s3://${to}`),
      down: (from, to) => aws('cp', ...deep(to), `s3://${from}`, to),
      sync: (from, to) => aws('sync', from, `s3://${to}`),
      slow: true,
    });
  }
  if (has('s3cmd')) {
    const config = join(state, 's3cmd.cfg');
    const host = new URL(engine.endpoint).host;
    const facts = `access_key = ${engine.accessKeyId}\nsecret_key = ${engine.secretAccessKey}\nbucket_location = ${engine.region}`;
    writeFileSync(config, `[default]\n${facts}\nhost_base = ${host}\nhost_bucket = ${host}\n${secured(engine)}\n`);
    const s3cmd = (verb: string, from: string, to: string): string[] => {
      const deep = from.endsWith('/') ? ['--recursive'] : [];
      return ['s3cmd', '--config', config, '--quiet', '--no-progress', verb, ...deep, '--multipart-chunk-size-mb=8', from, to];
    };
    peers.push({
      name: 's3cmd',
      up: (from, to) => s3cmd('put', from, `s3://${to}`),
      down: (from, to) => s3cmd('get', `s3://${from}`, to),
      // The tool sends one file at a time, so five thousand take a minute.
      sequential: true,
    });
  }
  peers.push(
    {
      name: 'lib-storage',
      up: (from, to) => node('bulk-scripts.ts', 'lib-storage', 'up', from, to),
      down: (from, to) => node('bulk-scripts.ts', 'lib-storage', 'down', from, to),
      slow: true,
    },
    {
      name: 'minio-js',
      up: (from, to) => node('bulk-scripts.ts', 'minio', 'up', from, to),
      down: (from, to) => node('bulk-scripts.ts', 'minio', 'down', from, to),
      slow: true,
    },
    {
      name: 'lean-s3',
      up: (from, to) => node('bulk-scripts.ts', 'lean-s3', 'up', from, to),
      down: (from, to) => node('bulk-scripts.ts', 'lean-s3', 'down', from, to),
    },
  );
  return peers;
}
