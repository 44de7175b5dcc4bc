import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CreateBucketCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestEndpoint } from '../s3-endpoint/start-endpoint.js';
import { COMMAND_PATH, runCommand } from './run-command.js';

const folder = mkdtempSync(join(tmpdir(), 'completion-'));
const store = await TestEndpoint.start();
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await store.stop();
});

const env = {
  PATH: `${folder}/bin:${process.env['PATH']}`,
  HOME: folder,
  AWS_ENDPOINT_URL: store.url,
  AWS_ACCESS_KEY_ID: store.pair.accessKeyId,
  AWS_SECRET_ACCESS_KEY: store.pair.secretAccessKey,
};
const runShell = async (shell: string, ...args: string[]): Promise<string> =>
  (await promisify(execFile)(shell, args, { cwd: folder, encoding: 'utf8', env })).stdout;

/**
 * Returns what a shell offers for a line that ends at the cursor, with descriptions if the shell shows them. The result contains
 * `file` if the shell would offer files.
 */
const COMPLETE: Record<string, (line: string) => Promise<string[]>> = {
  // A script cannot see the files that bash adds with `-o default`, so `file` stands for an empty reply.
  bash: async (line) => {
    const script = `source script.bash; compopt() { true; }; COMP_LINE="$*"; COMP_WORDS=("$@"); COMP_CWORD=$(($#-1)); _svc_blob
      printf '%s\n' "\${COMPREPLY[@]-file}"`;
    const output = await runShell('bash', '-c', script, 'bash', ...line.split(/(?<!\\) /));
    return output.trim().split('\n');
  },
  // `ask.zsh` types the line into a zsh on a terminal, which prints each candidate after a plus sign.
  zsh: async (line) => {
    const output = await runShell('zsh', '-f', 'ask.zsh', line);
    return [...output.matchAll(/^\+(.*?)\r?$/gm)].map(([, candidate]) => candidate!);
  },
  fish: async (line) => {
    const output = await runShell('fish', '--no-config', '-c', 'source script.fish; complete -C $argv[1]', line);
    return output.split('\n').filter(Boolean);
  },
};

const ZSH_INSIDE = `autoload -U compinit && compinit -u -D
source script.zsh
compadd() {
  local -a words; builtin compadd -A words "$@"; print -l "" "+"\${^words}
  local descriptions=$@[\${@[(i)-d]}+1]; [[ -n $descriptions ]] && print -l "" "+"\${(P)^descriptions}
}
_files() { print -l "" "+file" }
finish() { exit }
comppostfuncs=(finish)
bindkey '^I' complete-word
`;
const ZSH_ASK = `zmodload zsh/zpty
zpty inside zsh -f -i
zpty -w inside 'stty columns 200; source inside.zsh'
zpty -w -n inside "$1"$'\\t'
while zpty -r inside line; do print -rn -- "$line"; done
`;

const installedShells = await Promise.all(
  Object.keys(COMPLETE).map((shell) =>
    runShell(shell, '-c', 'exit 0').then(
      () => shell,
      () => undefined,
    ),
  ),
);

beforeAll(async () => {
  const client = store.client();
  for (const Bucket of ['photos', 'phones']) await client.send(new CreateBucketCommand({ Bucket }));
  for (const Key of ['2024/jan/a', '2025/b', 'my folder/$(touch pwned)', 'my folder/line\nbreak'])
    await client.send(new PutObjectCommand({ Bucket: 'photos', Key, Body: Key }));
  mkdirSync(join(folder, 'bin'));
  const command = join(folder, 'bin/svc-blob');
  writeFileSync(command, `#!/bin/sh\nexec '${process.execPath}' '${COMMAND_PATH}' "$@"\n`);
  chmodSync(command, 0o755);
  for (const [name, text] of Object.entries({ 'inside.zsh': ZSH_INSIDE, 'ask.zsh': ZSH_ASK, file: '' }))
    writeFileSync(join(folder, name), text);
});

describe.each(Object.keys(COMPLETE))('completion in %s', (shell) => {
  const complete = COMPLETE[shell]!;
  const isMissing = !installedShells.includes(shell);
  const completeWords = async (line: string) => (await complete(line)).map((candidate) => candidate.split(/\t| +-- /)[0]!);
  const completeSorted = async (line: string) => [...new Set(await completeWords(line))].sort();
  /** Returns the last segments of the offered locations. */
  const completeLocations = async (line: string) =>
    (await completeWords(line)).map((candidate) => candidate.replace(/^.*\/(?=.)/, ''));

  beforeAll(async () => {
    const { stdout } = await runCommand(['completion', shell]);
    writeFileSync(join(folder, `script.${shell}`), stdout);
  });

  it.skipIf(isMissing)('offers commands and subcommands', async () => {
    expect(await completeSorted('svc-blob s')).toEqual(['s3-credentials', 'scrub', 'serve', 'sync']);
    expect(await completeSorted('svc-blob files ')).toEqual(['cp', 'get', 'link', 'ls', 'mv', 'put', 'rm', 'stat']);
    expect(await completeSorted('svc-blob completion ')).toEqual(['bash', 'fish', 'zsh']);
  });

  it.skipIf(isMissing)('offers flags after a dash', async () => {
    expect(await completeSorted('svc-blob cp --sy')).toEqual(['--symlinks']);
    expect(await completeSorted('svc-blob files put --over')).toEqual(['--overwrite']);
  });

  it.skipIf(isMissing)('offers no flags of a command whose name is an argument', async () => {
    expect(await completeWords('svc-blob cp ls --hu')).not.toContain('--human');
  });

  it.skipIf(isMissing)('offers the values of a flag', async () => {
    expect(await completeSorted('svc-blob cp --symlinks ')).toEqual(['follow', 'skip']);
    expect(await completeSorted('svc-blob cp -r a --symlinks ')).toEqual(['follow', 'skip']);
    expect(await completeSorted('svc-blob cp -r a --symlinks f')).toEqual(['follow']);
  });

  it.skipIf(isMissing)('offers files for other arguments', async () => {
    expect(await completeWords('svc-blob cp ')).toContain('file');
  });

  it.skipIf(isMissing || shell === 'bash')('describes commands and flags', async () => {
    const descriptions = [...(await complete('svc-blob sync --del')), ...(await complete('svc-blob sy'))].join('\n');

    expect(descriptions).toContain('delete files from the target that the source does not have');
    expect(descriptions).toContain('Make one location match another');
  });

  it.skipIf(isMissing)('offers buckets after s3://', async () => {
    expect(await completeLocations('svc-blob ls s3://')).toEqual(['main/', 'phones/', 'photos/']);
    expect(await completeLocations('svc-blob cp a s3://photo')).toEqual(['photos/']);
  });

  it.skipIf(isMissing)('offers one level of a bucket', async () => {
    expect(await completeLocations('svc-blob cp s3://photos/')).toEqual(['2024/', '2025/', 'my folder/']);
  });

  it.skipIf(isMissing)('quotes names and leaves out names with line breaks', async () => {
    const locations = await completeLocations('svc-blob cp s3://photos/my\\ folder/');

    expect(locations.map((location) => location.replaceAll('\\', ''))).toEqual(['$(touch pwned)']);
  });

  it.skipIf(isMissing)('offers no buckets if the store does not respond', async () => {
    const locations = await completeLocations('svc-blob ls --endpoint http://127.0.0.1:1 s3://');

    expect(locations.filter((location) => location.endsWith('/'))).toEqual([]);
  });
});
