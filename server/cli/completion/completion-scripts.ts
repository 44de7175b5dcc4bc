import { quoteForShell } from '../bulk/format.js';

/** A word that completes a line, with its description. */
interface Candidate {
  word: string;
  description: string;
}

/** The words that may follow a command. */
export interface CommandCompletions {
  /** The command, such as `['files', 'ls']`. */
  path: string[];
  description: string;
  subcommands: Candidate[];
  flags: Candidate[];
  /** Values of flags that take one of a few words. */
  choices: [flag: string, words: string[]][];
}

export type Shell = 'bash' | 'zsh' | 'fish';

const topLevelCommands = (commands: CommandCompletions[]): Candidate[] =>
  commands.filter(({ path }) => path.length === 1).map(({ path, description }) => ({ word: path[0]!, description }));

const joinWords = (candidates: Candidate[]): string => candidates.map(({ word }) => word).join(' ');

/**
 * Writes the branches of a `case` over the words before the cursor.
 * @param writeList writes candidates in the syntax of the shell
 */
const caseBranches = (commands: CommandCompletions[], writeList: (candidates: Candidate[]) => string): string =>
  commands
    .flatMap(({ path, subcommands, flags, choices }) => [
      ...choices.map(([flag, values]) => `    "${path.join(' ')} "*" ${flag} ") words="${values.join(' ')}" ;;`),
      `    "${path.join(' ')} "*) flags=${writeList(flags)} next=${writeList(subcommands)} ;;`,
    ])
    .join('\n');

/** Writes candidates for zsh's `_describe`. */
const zshList = (candidates: Candidate[]): string => {
  const words = candidates.map(({ word, description }) => quoteForShell(description === '' ? word : `${word}:${description}`));
  return `(${words.join(' ')})`;
};

/** Writes the description flag of fish's `complete`. In single quotes, fish needs escapes for quotes and backslashes only. */
const fishDescription = (description: string): string =>
  description === '' ? '' : ` -d '${description.replaceAll(/[\\']/g, String.raw`\$&`)}'`;

/** `__svc_blob_words` compares all words before the cursor (`-eq`) or the first of them (`-ge`) with its arguments. */
const FISH_FUNCTIONS = `function __svc_blob_words
  set -l before (commandline -opc)[2..]
  test (count $before) $argv[1] (math (count $argv) - 1); or return 1
  for at in (seq 2 (count $argv))
    test "$before[$(math $at - 1)]" = $argv[$at]; or return 1
  end
end
function __svc_blob_location
  string unescape -- (commandline -ct | string trim -lc '"\\'')
end
function __svc_blob_locations
  svc-blob completion fish --locations (__svc_blob_location) --line (commandline -cp) 2>/dev/null
end
complete -c svc-blob -n "string match -q 's3://*' -- (__svc_blob_location)" -f -a "(__svc_blob_locations)"`;

/**
 * Writes the script of each shell. It completes a word that begins with a dash to flags, one that begins with s3:// to buckets and
 * keys, the word after a command to subcommands, and any other word to files. Names from a store are quoted and never expanded.
 */
export const SCRIPTS: Record<Shell, (commands: CommandCompletions[]) => string> = {
  // bash splits words at colons and equals signs. The script adds no space after a folder.
  bash: (commands) => `_svc_blob() {
  local word=\${COMP_WORDS[COMP_CWORD]} words= flags= next= before=" " head= place
  [ "$COMP_CWORD" -gt 1 ] && before="\${COMP_WORDS[*]:1:COMP_CWORD-1} "
  COMPREPLY=()
  [[ $before == *" s3 : " ]] && head=s3:
  place=\${word#[\\"\\']}
  place=$head\${place//\\\\/}
  if [[ $place == s3://* ]]; then
    compopt -o filenames 2>/dev/null || return
    while IFS= read -r place; do
      COMPREPLY+=("\${place#$head}")
      [[ $place != */ ]] || compopt -o nospace
    done < <("\${COMP_WORDS[0]}" completion bash --locations "$place" --line "$COMP_LINE" 2>/dev/null)
    return
  fi
  if [[ $word == = ]]; then word=; fi
  before="\${before// = / }"
  case "\${before/ -/  -}" in
    " ") words="${joinWords(topLevelCommands(commands))}" ;;
${caseBranches(commands, (list) => `"${joinWords(list)}"`)}
  esac
  if [[ $word == -* ]]; then words=$flags; elif [ "$COMP_CWORD" -eq 2 ]; then words=$next; fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _svc_blob svc-blob
`,
  zsh: (commands) => `#compdef svc-blob
_svc_blob() {
  local word=$words[CURRENT] place=\${(Q)PREFIX} found= before=" "
  local -a flags next places
  (( CURRENT > 2 )) && before="\${words[2,CURRENT-1]} "
  if [[ $place == s3://* ]]; then
    places=(\${(f)"$("$words[1]" completion zsh --locations "$place" --line "$BUFFER" 2>/dev/null)"})
    compset -P '*/'
    place=\${place%/*}/
    compadd -S '' -- \${\${(M)places:#*/}#$place}
    compadd -- \${\${places:#*/}#$place}
    return
  fi
  if [[ $word == --*=* ]]; then
    before+="\${word%%=*} "
    compset -P '*='
  fi
  case "\${before/ -/  -}" in
    " ") next=${zshList(topLevelCommands(commands))} ;;
${caseBranches(commands, zshList).replaceAll(' words=', ' found=')}
  esac
  if [[ -n $found ]]; then compadd -- \${=found}
  elif [[ $word == -* ]]; then _describe -o flag flags
  elif (( CURRENT <= 3 && $#next )); then _describe command next
  else _files; fi
}
if [[ $funcstack[1] == _svc_blob ]]; then _svc_blob "$@"; else compdef _svc_blob svc-blob; fi
`,
  fish: (commands) => {
    const completeCommands = (parent: string, candidates: Candidate[]): string[] =>
      candidates.map(
        ({ word, description }) =>
          `complete -c svc-blob -n "__svc_blob_words -eq${parent}" -f -a ${word}${fishDescription(description)}`,
      );
    const completeFlags = ({ path, flags, choices }: CommandCompletions): string[] => {
      const valuesByFlag = new Map(choices);
      return flags.map(({ word, description }) => {
        const values = valuesByFlag.get(word);
        const valueList = values === undefined ? '' : ` -x -a "${values.join(' ')}"`;
        const condition = `__svc_blob_words -ge ${path.join(' ')}`;
        return `complete -c svc-blob -n "${condition}" -l ${word.slice(2)}${valueList}${fishDescription(description)}`;
      });
    };
    return [
      FISH_FUNCTIONS,
      ...completeCommands('', topLevelCommands(commands)),
      ...commands.flatMap((command) => [
        ...completeCommands(` ${command.path.join(' ')}`, command.subcommands),
        ...completeFlags(command),
      ]),
      '',
    ].join('\n');
  },
};
