import { quoted } from './format.js';

/** One that may stand next, and what it means. */
interface Described {
  word: string;
  about: string;
}

/** What may follow a command. */
export interface Words {
  /** `files`, `ls`. */
  path: string[];
  about: string;
  /** Its subcommands. */
  next: Described[];
  flags: Described[];
  /** Of flags that take one of a few words. */
  choices: [flag: string, words: string[]][];
}

export type Shell = 'bash' | 'zsh' | 'fish';

const commands = (known: Words[]): Described[] =>
  known.filter(({ path }) => path.length === 1).map(({ path, about }) => ({ word: path[0]!, about }));

const words = (described: Described[]): string => described.map(({ word }) => word).join(' ');

/** Branches of a `case` over all that was written before the word. @param list how a shell writes what may be offered */
const branches = (known: Words[], list: (described: Described[]) => string): string =>
  known
    .flatMap(({ path, next, flags, choices }) => [
      ...choices.map(([flag, few]) => `    "${path.join(' ')} "*" ${flag} ") words="${few.join(' ')}" ;;`),
      `    "${path.join(' ')} "*) flags=${list(flags)} next=${list(next)} ;;`,
    ])
    .join('\n');

/** As `_describe` takes them. */
const zshList = (described: Described[]): string =>
  `(${described.map(({ word, about }) => quoted(about === '' ? word : `${word}:${about}`)).join(' ')})`;

/** In fish's quotes a backslash is one before a quote or another alone. */
const fishAbout = (about: string): string => (about === '' ? '' : ` -d '${about.replaceAll(/[\\']/g, String.raw`\$&`)}'`);

/** Whether the words before the cursor are these: just them (`-eq`), or with more behind (`-ge`). Then, what a store has at the cursor. */
const FISH_WORDS = `function __svc_blob_words
  set -l before (commandline -opc)[2..]
  test (count $before) $argv[1] (math (count $argv) - 1); or return 1
  for at in (seq 2 (count $argv))
    test "$before[$(math $at - 1)]" = $argv[$at]; or return 1
  end
end
function __svc_blob_place
  string unescape -- (commandline -ct | string trim -lc '"\\'')
end
function __svc_blob_places
  svc-blob completion fish --places (__svc_blob_place) --line (commandline -cp) 2>/dev/null
end
complete -c svc-blob -n "string match -q 's3://*' -- (__svc_blob_place)" -f -a "(__svc_blob_places)"`;

/**
 * Flags come where a dash asks for them, subcommands in their place, what the store has after s3://; everywhere else files do. Names out of
 * a store are never expanded, and come quoted onto the line.
 */
export const SCRIPTS: Record<Shell, (known: Words[]) => string> = {
  // A colon and an equals sign are words of their own here. What is quoted has no space behind it, nor has a folder.
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
    done < <("\${COMP_WORDS[0]}" completion bash --places "$place" --line "$COMP_LINE" 2>/dev/null)
    return
  fi
  if [[ $word == = ]]; then word=; fi
  before="\${before// = / }"
  case "\${before/ -/  -}" in
    " ") words="${words(commands(known))}" ;;
${branches(known, (list) => `"${words(list)}"`)}
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
    places=(\${(f)"$("$words[1]" completion zsh --places "$place" --line "$BUFFER" 2>/dev/null)"})
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
    " ") next=${zshList(commands(known))} ;;
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
    const offered = (where: string, list: Described[]): string[] =>
      list.map(({ word, about }) => `complete -c svc-blob -n "__svc_blob_words -eq${where}" -f -a ${word}${fishAbout(about)}`);
    return [
      FISH_WORDS,
      ...offered('', commands(known)),
      ...known.flatMap(({ path, next, flags, choices }) => {
        const here = `complete -c svc-blob -n "__svc_blob_words -ge ${path.join(' ')}"`;
        const few = new Map(choices);
        return [
          ...offered(` ${path.join(' ')}`, next),
          ...flags.map(({ word, about }) => {
            const taken = few.get(word);
            return `${here} -l ${word.slice(2)}${taken === undefined ? '' : ` -x -a "${taken.join(' ')}"`}${fishAbout(about)}`;
          }),
        ];
      }),
      '',
    ].join('\n');
  },
};
