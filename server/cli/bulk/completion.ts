import { Command, InvalidArgumentError } from 'commander';
import { groups } from '../groups.js';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

const shell = (text: string): Shell => {
  if (!(SHELLS as readonly string[]).includes(text)) throw new InvalidArgumentError(`Say one of ${SHELLS.join(', ')}.`);
  return text as Shell;
};

export const completionCommand = (): Command =>
  new Command('completion')
    .description('print what makes a shell complete svc-blob: source <(svc-blob completion bash)')
    .argument('<shell>', SHELLS.join(', '), shell)
    .action(async (name: Shell) => {
      const known = await Promise.all(
        groups.filter((group) => group.name !== 'completion').map(async (group) => wordsOf(group.name, await group.load())),
      );
      process.stdout.write(SCRIPTS[name]([...known, { name: 'completion', words: [...SHELLS] }]));
    });

interface Words {
  name: string;
  words: string[];
}

/** Flags and subcommands, from the commands themselves. */
function wordsOf(name: string, command: Command): Words {
  const flags = command.options.filter((option) => !option.hidden).map((option) => option.long ?? option.short!);
  return { name, words: [...command.commands.map((one) => one.name()), ...flags, '--help'] };
}

const names = (known: Words[]): string => known.map(({ name }) => name).join(' ');

const SCRIPTS: Record<Shell, (known: Words[]) => string> = {
  bash: (known) => `_svc_blob() {
  local word=\${COMP_WORDS[COMP_CWORD]} words
  if [ "$COMP_CWORD" -eq 1 ]; then words="${names(known)}"
  else case \${COMP_WORDS[1]} in
${known.map(({ name, words }) => `    ${name}) words="${words.join(' ')}" ;;`).join('\n')}
  esac; fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _svc_blob svc-blob
`,
  zsh: (known) => `#compdef svc-blob
_svc_blob() {
  if (( CURRENT == 2 )); then compadd -- ${names(known)}; return; fi
  case $words[2] in
${known.map(({ name, words }) => `    ${name}) compadd -- ${words.join(' ')} ;;`).join('\n')}
  esac
  _files
}
compdef _svc_blob svc-blob
`,
  fish: (known) =>
    [
      `complete -c svc-blob -n __fish_use_subcommand -f -a "${names(known)}"`,
      ...known.flatMap(({ name, words }) =>
        words.map((word) =>
          word.startsWith('--')
            ? `complete -c svc-blob -n "__fish_seen_subcommand_from ${name}" -l ${word.slice(2)}`
            : `complete -c svc-blob -n "__fish_seen_subcommand_from ${name}" -a ${word}`,
        ),
      ),
      '',
    ].join('\n'),
};
