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
        groups.filter((group) => group.name !== 'completion').map(async (group) => wordsOf([group.name], await group.load())),
      );
      const itself: Words = { path: ['completion'], next: [...SHELLS], flags: ['--help'], choices: [] };
      process.stdout.write(SCRIPTS[name]([...known.flat(), itself]));
    });

/** What may follow a command. */
interface Words {
  /** `files`, `ls`. */
  path: string[];
  /** Its subcommands. */
  next: string[];
  flags: string[];
  /** Of flags that take one of a few words. */
  choices: [flag: string, words: string[]][];
}

/** From the commands themselves; subcommands first, since theirs are the longer words. */
function wordsOf(path: string[], command: Command): Words[] {
  const options = command.options.filter((option) => !option.hidden);
  const own: Words = {
    path,
    next: command.commands.map((one) => one.name()),
    flags: [...options.map((option) => option.long ?? option.short!), '--help'],
    choices: options.flatMap(({ long, argChoices }) => (long && argChoices ? [[long, argChoices]] : [])),
  };
  return [...command.commands.flatMap((one) => wordsOf([...path, one.name()], one)), own];
}

const names = (known: Words[]): string =>
  known
    .filter(({ path }) => path.length === 1)
    .map(({ path }) => path[0])
    .join(' ');

/** Branches of a `case` over all that was written before the word. */
const branches = (known: Words[]): string =>
  known
    .flatMap(({ path, next, flags, choices }) => [
      ...choices.map(([flag, words]) => `    "${path.join(' ')} "*" ${flag} ") words="${words.join(' ')}" ;;`),
      `    "${path.join(' ')} "*) flags="${flags.join(' ')}" next="${next.join(' ')}" ;;`,
    ])
    .join('\n');

/** Whether the words before the cursor are these: just them (`-eq`), or with more behind (`-ge`). */
const FISH_WORDS = `function __svc_blob_words
  set -l before (commandline -opc)[2..]
  test (count $before) $argv[1] (math (count $argv) - 1); or return 1
  for at in (seq 2 (count $argv))
    test "$before[$(math $at - 1)]" = $argv[$at]; or return 1
  end
end`;

/** Flags come where a dash asks for them, subcommands in their place; everywhere else files do. */
const SCRIPTS: Record<Shell, (known: Words[]) => string> = {
  bash: (known) => `_svc_blob() {
  local word=\${COMP_WORDS[COMP_CWORD]} words= flags= next= before=" "
  [ "$COMP_CWORD" -gt 1 ] && before="\${COMP_WORDS[*]:1:COMP_CWORD-1} "
  case "\${before/ -/  -}" in
    " ") words="${names(known)}" ;;
${branches(known)}
  esac
  if [[ $word == -* ]]; then words=$flags; elif [ "$COMP_CWORD" -eq 2 ]; then words=$next; fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _svc_blob svc-blob
`,
  zsh: (known) => `#compdef svc-blob
_svc_blob() {
  local word=$words[CURRENT] found= flags= next= before=" "
  (( CURRENT > 2 )) && before="\${words[2,CURRENT-1]} "
  case "\${before/ -/  -}" in
    " ") found="${names(known)}" ;;
${branches(known).replaceAll(' words=', ' found=')}
  esac
  if [[ $word == -* ]]; then found=$flags; elif (( CURRENT == 3 )); then found=$next; fi
  if [[ -n $found ]]; then compadd -- \${=found}; else _files; fi
}
if [[ $funcstack[1] == _svc_blob ]]; then _svc_blob "$@"; else compdef _svc_blob svc-blob; fi
`,
  fish: (known) =>
    [
      FISH_WORDS,
      `complete -c svc-blob -n "__svc_blob_words -eq" -f -a "${names(known)}"`,
      ...known.flatMap(({ path, next, flags, choices }) => {
        const here = `complete -c svc-blob -n "__svc_blob_words -ge ${path.join(' ')}"`;
        const few = new Map(choices);
        return [
          ...(next.length > 0
            ? [`complete -c svc-blob -n "__svc_blob_words -eq ${path.join(' ')}" -f -a "${next.join(' ')}"`]
            : []),
          ...flags.map((flag) => {
            const words = few.get(flag);
            return `${here} -l ${flag.slice(2)}${words === undefined ? '' : ` -x -a "${words.join(' ')}"`}`;
          }),
        ];
      }),
      '',
    ].join('\n'),
};
