import { quoted } from '../bulk/format.js';

/** A word that completes a line, with its description. */
interface Candidate {
  word: string;
  about: string;
}

/** The words that may follow a command. */
export interface CommandWords {
  /** The command, such as `['files', 'ls']`. */
  path: string[];
  about: string;
  /** Subcommands. */
  next: Candidate[];
  flags: Candidate[];
  /** Values of flags that take one of a few words. */
  choices: [flag: string, words: string[]][];
}

export type Shell = 'bash' | 'zsh' | 'fish';

const commandsIn = (known: CommandWords[]): Candidate[] =>
  known.filter(({ path }) => path.length === 1).map(({ path, about }) => ({ word: path[0]!, about }));

const wordsIn = (candidates: Candidate[]): string => candidates.map(({ word }) => word).join(' ');

/**
 * Returns the branches of a `case` over the words before the cursor.
 * @param list writes candidates in the syntax of the shell
 */
const branches = (known: CommandWords[], list: (candidates: Candidate[]) => string): string =>
  known
    .flatMap(({ path, next, flags, choices }) => [
      ...choices.map(([flag, values]) => `    "${path.join(' ')} "*" ${flag} ") words="${values.join(' ')}" ;;`),
      `    "${path.join(' ')} "*) flags=${list(flags)} next=${list(next)} ;;`,
    ])
    .join('\n');

/** Writes candidates for zsh's `_describe`. */
const zshList = (candidates: Candidate[]): string =>
  `(${candidates.map(({ word, about }) => quoted(about === '' ? word : `${word}:${about}`)).join(' ')})`;

/** Inside single quotes, fish knows only the escapes of a quote and a backslash. */
const fishDescription = (about: string): string => (about === '' ? '' : ` -d '${about.replaceAll(/[\\']/g, String.raw`\$&`)}'`);

/** `__svc_blob_words` compares the words before the cursor: exactly (`-eq`) or as a prefix (`-ge`). */
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
 * Writes the script of each shell. After a dash it offers flags, after s3:// buckets and keys, in second place subcommands, otherwise files.
 * Names from a store are quoted and never expanded.
 */
export const SCRIPTS: Record<Shell, (known: CommandWords[]) => string> = {
  // bash splits words at colons and equals signs. No space follows a folder.
  bash: (known) => `_svc_blob() {
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
    " ") words="${wordsIn(commandsIn(known))}" ;;
${branches(known, (list) => `"${wordsIn(list)}"`)}
  esac
  if [[ $word == -* ]]; then words=$flags; elif [ "$COMP_CWORD" -eq 2 ]; then words=$next; fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _svc_blob svc-blob
`,
  zsh: (known) => `#compdef svc-blob
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
    " ") next=${zshList(commandsIn(known))} ;;
${branches(known, zshList).replaceAll(' words=', ' found=')}
  esac
  if [[ -n $found ]]; then compadd -- \${=found}
  elif [[ $word == -* ]]; then _describe -o flag flags
  elif (( CURRENT <= 3 && $#next )); then _describe command next
  else _files; fi
}
if [[ $funcstack[1] == _svc_blob ]]; then _svc_blob "$@"; else compdef _svc_blob svc-blob; fi
`,
  fish: (known) => {
    const candidateLines = (where: string, list: Candidate[]): string[] =>
      list.map(
        ({ word, about }) => `complete -c svc-blob -n "__svc_blob_words -eq${where}" -f -a ${word}${fishDescription(about)}`,
      );
    return [
      FISH_FUNCTIONS,
      ...candidateLines('', commandsIn(known)),
      ...known.flatMap(({ path, next, flags, choices }) => {
        const here = `complete -c svc-blob -n "__svc_blob_words -ge ${path.join(' ')}"`;
        const values = new Map(choices);
        return [
          ...candidateLines(` ${path.join(' ')}`, next),
          ...flags.map(({ word, about }) => {
            const few = values.get(word);
            return `${here} -l ${word.slice(2)}${few === undefined ? '' : ` -x -a "${few.join(' ')}"`}${fishDescription(about)}`;
          }),
        ];
      }),
      '',
    ].join('\n');
  },
};
