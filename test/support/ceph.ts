import { execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { findProgram, installPackages } from './debian.js';
import { freePorts } from './ports.js';
import type { S3Engine } from './s3-engine.js';

const run = promisify(execFile);

const PACKAGES = ['ceph-mon', 'ceph-osd', 'radosgw', 'ceph-common'];
const PROGRAMS = ['ceph-mon', 'ceph-osd', 'radosgw', 'radosgw-admin', 'ceph'];

/** Finds or installs Ceph. Its daemons run as root only. */
export function isCephInstalled(): boolean {
  if (process.getuid?.() !== 0) return false;
  if (PROGRAMS.every((name) => findProgram(name) !== undefined)) return true;
  return installPackages(
    PACKAGES,
    PROGRAMS.map((name) => `/usr/bin/${name}`),
  );
}

const CREDENTIALS = { region: 'default', accessKeyId: 'testaccesskey', secretAccessKey: 'testsecretkey' };

/** Starts a single Ceph node that keeps objects in memory, and its gateway, on loopback. */
export async function startCeph(): Promise<S3Engine> {
  const dir = await mkdtemp(join(tmpdir(), 'svc-ceph-'));
  const [v2, v1, port] = (await freePorts(3)) as [number, number, number];
  for (const folder of ['mon', 'osd', 'rgw', 'run', 'log']) await mkdir(join(dir, folder));
  const [cluster, osd] = [randomUUID(), randomUUID()];
  const conf = join(dir, 'ceph.conf');
  await writeFile(conf, formatConfiguration({ dir, cluster, v2, v1, port }));
  const env = { ...process.env, CEPH_CONF: conf };
  const ceph = async (command: string, ...args: string[]) => (await run(command, ['-c', conf, ...args], { env })).stdout;
  const pids = async () => {
    const files = ['client.rgw', 'osd.0', 'mon.a'].map((name) =>
      readFile(join(dir, 'run', `${name}.pid`), 'utf8').catch(() => ''),
    );
    return (await Promise.all(files)).filter((pid) => pid !== '').map(Number);
  };
  // The daemons must not outlive a test process that fails.
  const started: number[] = [];
  const killDaemons = (): void => started.forEach(killProcess);
  process.once('exit', killDaemons);
  const stop = async () => {
    // SIGKILL: on SIGTERM a memory store would write its content to disk.
    for (const pid of await pids()) killProcess(pid);
    process.off('exit', killDaemons);
    await rm(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  };
  try {
    await run('monmaptool', ['--create', '--fsid', cluster, '--addv', 'a', formatAddresses(v2, v1), join(dir, 'monmap')]);
    await ceph('ceph-mon', '-i', 'a', '--mkfs', '--monmap', join(dir, 'monmap'), '--mon-data', join(dir, 'mon'));
    await startDaemon(conf, 'ceph-mon', '-i', 'a', '--mon-data', join(dir, 'mon'));
    await ceph('ceph', 'osd', 'new', osd);
    await ceph('ceph-osd', '-i', '0', '--mkfs', '--osd-uuid', osd);
    await ceph('ceph', 'osd', 'crush', 'add', 'osd.0', '1.0', 'host=localhost', 'root=default').catch(() => '');
    await startDaemon(conf, 'ceph-osd', '-i', '0');
    await waitUntil(async () => (await ceph('ceph', 'osd', 'stat')).includes('1 up'));
    await startDaemon(conf, 'radosgw', '-n', 'client.rgw', '--pid-file', join(dir, 'run', 'client.rgw.pid'));
    await waitUntil(async () => (await fetch(`http://127.0.0.1:${port}/`)).status > 0);
    const keys = [`--access-key=${CREDENTIALS.accessKeyId}`, `--secret-key=${CREDENTIALS.secretAccessKey}`];
    const user = ['user', 'create', '--uid=test', '--display-name=test', '--max-buckets=0'];
    await ceph('radosgw-admin', '-n', 'client.rgw', ...user, ...keys);
  } catch (cause) {
    await stop();
    throw cause;
  }
  started.push(...(await pids()));
  return { ...CREDENTIALS, endpoint: `http://127.0.0.1:${port}`, isOwn: false, pids: started, stop };
}

function killProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has ended.
  }
}

/** Starts a daemon that moves itself into the background. It must not inherit a pipe, which it would keep open. */
function startDaemon(conf: string, command: string, ...args: string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, ['-c', conf, ...args], { stdio: 'ignore', env: { ...process.env, CEPH_CONF: conf } });
    child.once('error', reject);
    child.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`${command} stopped with ${code}`))));
  });
}

async function waitUntil(ready: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    if (await ready().catch(() => false)) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('Ceph did not start within 30 seconds');
}

const formatAddresses = (v2: number, v1: number) => `[v2:127.0.0.1:${v2},v1:127.0.0.1:${v1}]`;

const formatConfiguration = (at: { dir: string; cluster: string; v2: number; v1: number; port: number }) => `[global]
fsid = ${at.cluster}
mon_host = ${formatAddresses(at.v2, at.v1)}
mon_initial_members = a
public_addr = 127.0.0.1
cluster_addr = 127.0.0.1
ms_bind_ipv6 = false
auth_cluster_required = none
auth_service_required = none
auth_client_required = none
run_dir = ${at.dir}/run
admin_socket = ${at.dir}/run/$name.asok
pid_file = ${at.dir}/run/$name.pid
log_file = ${at.dir}/log/$name.log
mon_cluster_log_file = ${at.dir}/log/cluster.log
osd_pool_default_size = 1
osd_pool_default_min_size = 1
osd_crush_chooseleaf_type = 0
osd_pool_default_pg_num = 8
osd_pool_default_pgp_num = 8
osd_pool_default_pg_autoscale_mode = off
mon_allow_pool_size_one = true
mon_max_pg_per_osd = 2000
mon_data_avail_crit = 1
mon_data_avail_warn = 2
# These two reduce the creation of the gateway's pools from 13 s to 2 s.
paxos_propose_interval = 0.05
paxos_min_wait = 0.01
[mon]
mon_data = ${at.dir}/mon
[osd]
osd_data = ${at.dir}/osd
osd_objectstore = memstore
memstore_device_bytes = 8589934592
osd_memory_target = 1610612736
osd_class_load_list = *
osd_class_default_list = *
[client.rgw]
rgw_data = ${at.dir}/rgw
rgw_frontends = beast endpoint=127.0.0.1:${at.port}
rgw_dns_name = localhost
rgw_dynamic_resharding = false
# Most buckets are small. With the usual 11 indexes, listing an empty bucket takes three times as long.
rgw_override_bucket_index_max_shards = 1
# Frees the memory of deleted objects after seconds instead of hours.
rgw_gc_obj_min_wait = 2
rgw_gc_processor_period = 5
rgw_gc_processor_max_time = 5
ms_mon_client_mode = crc secure
auth_client_required = none
[client]
ms_mon_client_mode = crc secure
`;
