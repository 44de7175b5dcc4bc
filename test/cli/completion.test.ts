import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { svcBlob } from './support.js';

const folder = mkdtempSync(join(tmpdir(), 'completion-'));
afterAll(() => rmSync(folder, { recursive: true }));
const run = (shell: string, ...args: string[]): string =>
  execFileSync(shell, args, { cwd: folder, encoding: 'utf8', env: { PATH: process.env['PATH'], HOME: folder } });

/** Each asks the shell itself what it offers for a line that ends at the cursor; files are among it where the shell offers them. */
const SHELLS: Record<string, (line: string) => string[]> = {
  // What it adds where a function offers nothing (-o default) is not to be had from outside.
  bash: (line) => {
    const ask = `source script.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($#-1)); _svc_blob; printf '%s\n' "\${COMPREPLY[@]-file}"`;
    return run('bash', '-c', ask, 'bash', ...line.split(' '))
      .trim()
      .split('\n');
  },
  // One on a terminal that prints what is added, and ends then.
  zsh: (line) => {
    const said = run('zsh', '-f', 'ask.zsh', line).matchAll(/^\+(.*?)\r?$/gm);
    return [...said].map(([, word]) => word!);
  },
  fish: (line) =>
    run('fish', '--no-config', '-c', 'source script.fish; complete -C $argv[1]', line)
      .split('\n')
      .map((said) => said.split('\t')[0]!)
      .filter(Boolean),
};

const ZSH_INSIDE = `autoload -U compinit && compinit -u -D
source script.zsh
compadd() { local -a words; builtin compadd -A words "$@"; print -l "" "+"\${^words} }
_files() { print -l "" "+file" }
finish() { exit }
comppostfuncs=(finish)
bindkey '^I' complete-word
`;
const ZSH_ASK = `zmodload zsh/zpty
zpty inside zsh -f -i
zpty -w inside 'source inside.zsh'
zpty -w -n inside "$1"$'\\t'
while zpty -r inside line; do print -rn -- "$line"; done
`;

const isThere = (shell: string): boolean => {
  try {
    return run(shell, '-c', 'exit 0') === '';
  } catch {
    return false;
  }
};

describe.each(Object.keys(SHELLS))('completion in %s', (shell) => {
  const offered = SHELLS[shell]!;
  beforeAll(async () => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `script.${shell}`), (await svcBlob(['completion', shell])).stdout);
    for (const [name, text] of Object.entries({ 'inside.zsh': ZSH_INSIDE, 'ask.zsh': ZSH_ASK, file: '' }))
      writeFileSync(join(folder, name), text);
  });

  it.skipIf(!isThere(shell))('offers commands, subcommands, flags after a dash, the words of a flag, and else files', () => {
    expect(offered('svc-blob s').sort()).toEqual(['s3-credentials', 'scrub', 'serve', 'sync']);
    expect(offered('svc-blob cp ')).toContain('file');
    expect(offered('svc-blob cp --sy')).toEqual(['--symlinks']);
    expect(offered('svc-blob cp --symlinks ')).toEqual(['follow', 'skip']);
    expect(offered('svc-blob cp -r a --symlinks f')).toEqual(['follow']);
    expect(offered('svc-blob files ').sort()).toEqual(['cp', 'get', 'link', 'ls', 'mv', 'put', 'rm', 'stat']);
    expect(offered('svc-blob files put --over')).toEqual(['--overwrite']);
    expect(offered('svc-blob completion ').sort()).toEqual(['bash', 'fish', 'zsh']);
    // A place that has the name of a command is none.
    expect(offered('svc-blob cp ls --hu')).not.toContain('--human');
  });
});
