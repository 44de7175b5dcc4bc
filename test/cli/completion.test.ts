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
const run = async (shell: string, ...args: string[]): Promise<string> =>
  (await promisify(execFile)(shell, args, { cwd: folder, encoding: 'utf8', env })).stdout;

/**
 * Each asks the shell itself what it offers for a line that ends at the cursor; files are among it where the shell offers them. Of places
 * comes what is behind the last slash, of the others what is told of each.
 */
const SHELLS: Record<string, (line: string) => Promise<string[]>> = {
  // What it adds where a function offers nothing (-o default) is not to be had from outside, nor how it is told to quote.
  bash: async (line) => {
    const ask = `source script.bash; compopt() { true; }; COMP_LINE="$*"; COMP_WORDS=("$@"); COMP_CWORD=$(($#-1)); _svc_blob
      printf '%s\n' "\${COMPREPLY[@]-file}"`;
    const said = await run('bash', '-c', ask, 'bash', ...line.split(/(?<!\\) /));
    return said.trim().split('\n');
  },
  // One on a terminal that prints what is added, and ends then.
  zsh: async (line) => {
    const said = (await run('zsh', '-f', 'ask.zsh', line)).matchAll(/^\+(.*?)\r?$/gm);
    return [...said].map(([, word]) => word!);
  },
  fish: async (line) => {
    const said = await run('fish', '--no-config', '-c', 'source script.fish; complete -C $argv[1]', line);
    return said.split('\n').filter(Boolean);
  },
};

const ZSH_INSIDE = `autoload -U compinit && compinit -u -D
source script.zsh
compadd() {
  local -a words; builtin compadd -A words "$@"; print -l "" "+"\${^words}
  local told=$@[\${@[(i)-d]}+1]; [[ -n $told ]] && print -l "" "+"\${(P)^told}
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

const isThere = await Promise.all(
  Object.keys(SHELLS).map((shell) =>
    run(shell, '-c', 'exit 0').then(
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

describe.each(Object.keys(SHELLS))('completion in %s', (shell) => {
  const told = SHELLS[shell]!;
  /** Without what is told of them. */
  const offered = async (line: string) => (await told(line)).map((one) => one.split(/\t| +-- /)[0]!);
  const places = async (line: string) => (await offered(line)).map((one) => one.replace(/^.*\/(?=.)/, ''));
  beforeAll(async () => writeFileSync(join(folder, `script.${shell}`), (await runCommand(['completion', shell])).stdout));

  it.skipIf(!isThere.includes(shell))(
    'offers commands, subcommands, flags after a dash, the words of a flag, and else files',
    async () => {
      const sorted = async (line: string) => [...new Set(await offered(line))].sort();
      expect(await sorted('svc-blob s')).toEqual(['s3-credentials', 'scrub', 'serve', 'sync']);
      expect(await offered('svc-blob cp ')).toContain('file');
      expect(await sorted('svc-blob cp --sy')).toEqual(['--symlinks']);
      for (const line of ['cp --symlinks ', 'cp -r a --symlinks '])
        expect(await sorted(`svc-blob ${line}`)).toEqual(['follow', 'skip']);
      expect(await sorted('svc-blob cp -r a --symlinks f')).toEqual(['follow']);
      expect(await sorted('svc-blob files ')).toEqual(['cp', 'get', 'link', 'ls', 'mv', 'put', 'rm', 'stat']);
      expect(await sorted('svc-blob files put --over')).toEqual(['--overwrite']);
      expect(await sorted('svc-blob completion ')).toEqual(['bash', 'fish', 'zsh']);
      // A place that has the name of a command is none.
      expect(await offered('svc-blob cp ls --hu')).not.toContain('--human');
    },
  );

  it.skipIf(!isThere.includes(shell) || shell === 'bash')('tells what they mean', async () => {
    const all = [...(await told('svc-blob sync --del')), ...(await told('svc-blob sy'))].join('\n');
    expect(all).toContain('delete files from the target that the source does not have');
    expect(all).toContain('Make one location match another');
  });

  it.skipIf(!isThere.includes(shell))(
    'offers buckets and one level of them, and no more than files where no store answers',
    async () => {
      expect(await places('svc-blob ls s3://')).toEqual(['main/', 'phones/', 'photos/']);
      expect(await places('svc-blob cp a s3://photo')).toEqual(['photos/']);
      expect(await places('svc-blob cp s3://photos/')).toEqual(['2024/', '2025/', 'my folder/']);
      expect((await places('svc-blob cp s3://photos/my\\ folder/')).map((one) => one.replaceAll('\\', ''))).toEqual([
        '$(touch pwned)',
      ]);
      const nobody = await places('svc-blob ls --endpoint http://127.0.0.1:1 s3://');
      expect(nobody.filter((one) => one.endsWith('/'))).toEqual([]);
    },
  );
});
