/**
 * Globs as state machines. All ways to read a path are followed at once, character by character, so that the time for a path grows with its
 * length alone. A regular expression with several stars takes hours for a key that is made for it, and keys come from anywhere.
 */
export interface Glob {
  /** Whether the path, or a folder above it, matches. */
  test(path: string): boolean;
}

/** Takes one character, or none, and goes on to all of `next`. */
interface State {
  takes: ((character: string) => boolean) | undefined;
  next: State[];
}

/** @throws SyntaxError when brackets or braces do not close. */
export function compileGlob(glob: string): Glob {
  const rooted = glob.replace(/^\.\//, '/');
  const isAnchored = rooted.replace(/\/$/, '').includes('/');
  const pattern = rooted.endsWith('/') ? `${rooted}**` : rooted;
  const start: State = { takes: undefined, next: [] };
  const end = new Compiler(glob, pattern.startsWith('/') ? pattern.slice(1) : pattern).compile(start);
  return { test: (path) => matches(start, end, isAnchored, path) };
}

const isPlain = (character: string): boolean => character !== '/';
const isAny = (): boolean => true;

class Compiler {
  /** Of each open brace: where its choices begin, and where they meet again. */
  readonly #braces: { from: State; to: State }[] = [];
  #at = 0;
  #last!: State;

  constructor(
    private readonly glob: string,
    private readonly text: string,
  ) {}

  /** @returns the state after the whole pattern. */
  compile(start: State): State {
    this.#last = start;
    while (this.#at < this.text.length) this.#step();
    if (this.#braces.length > 0) throw new SyntaxError(`${this.glob}: { without }`);
    return this.#last;
  }

  #step(): void {
    // By code point, as paths are read.
    const character = String.fromCodePoint(this.text.codePointAt(this.#at)!);
    this.#at += character.length;
    const brace = this.#braces.at(-1);
    if (character === '*') this.#star();
    else if (character === '?') this.#take(isPlain);
    else if (character === '[') this.#set();
    else if (character === '{') this.#braces.push({ from: this.#last, to: { takes: undefined, next: [] } });
    else if (character === '}' && brace) {
      this.#braces.pop();
      this.#last.next.push(brace.to);
      this.#last = brace.to;
    } else if (character === ',' && brace) {
      this.#last.next.push(brace.to);
      this.#last = brace.from;
    } else if (character === '\\' && this.#at < this.text.length) {
      const escaped = String.fromCodePoint(this.text.codePointAt(this.#at)!);
      this.#at += escaped.length;
      this.#take((one) => one === escaped);
    } else this.#take((one) => one === character);
  }

  #take(takes: (character: string) => boolean): void {
    const state: State = { takes, next: [{ takes: undefined, next: [] }] };
    this.#last.next.push(state);
    this.#last = state.next[0]!;
  }

  /** Goes on at once, or takes a character and comes back. */
  #repeat(takes: (character: string) => boolean): void {
    const after: State = { takes: undefined, next: [] };
    after.next.push({ takes, next: [after] });
    this.#last.next.push(after);
    // The loop is a state of its own, so that following characters are not added to earlier choices.
    this.#last = after;
  }

  #star(): void {
    if (this.text[this.#at] !== '*') {
      this.#repeat(isPlain);
      return;
    }
    const isFolder = this.text[this.#at + 1] === '/';
    this.#at += isFolder ? 2 : 1;
    const before = this.#last;
    this.#repeat(isAny);
    if (!isFolder) return;
    this.#take((one) => one === '/');
    // Any folders, or none.
    before.next.push(this.#last);
  }

  #set(): void {
    const from = this.#at;
    const end = this.text.indexOf(']', from + 1);
    if (end < 0) throw new SyntaxError(`${this.glob}: [ without ]`);
    if (/^\[[:.=]/.test(this.text.slice(from, from + 2)))
      throw new SyntaxError(`${this.glob}: classes as [:alpha:] are not known; say [a-z]`);
    const set = this.text.slice(from, end).replace(/^!/, '^').replaceAll('\\', '\\\\');
    const characters = new RegExp(`^[${set}]$`, 'su');
    this.#at = end + 1;
    this.#take((one) => one !== '/' && characters.test(one));
  }
}

function matches(start: State, end: State, isAnchored: boolean, path: string): boolean {
  let active = new Set<State>();
  reach(start, active);
  for (const character of path) {
    if (character === '/' && active.has(end)) return true;
    const following = new Set<State>();
    for (const state of active) if (state.takes?.(character)) for (const next of state.next) reach(next, following);
    // A pattern without a slash is matched at any depth.
    if (!isAnchored && character === '/') reach(start, following);
    active = following;
  }
  return active.has(end);
}

/** Adds a state, and all that can be reached from it without a character. */
function reach(state: State, into: Set<State>): void {
  if (into.has(state)) return;
  into.add(state);
  if (!state.takes) for (const next of state.next) reach(next, into);
}
