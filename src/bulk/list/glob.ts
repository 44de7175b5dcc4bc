/**
 * A compiled glob. It is a state machine that follows all possible matches at once, so that the time grows linearly with the length
 * of the path. A regular expression with several stars would take hours for a key that an attacker chose.
 */
export interface Glob {
  /** Returns whether a path or a folder above it matches. */
  test(path: string): boolean;
}

/** State of the machine. It leads to all states in `next`. */
interface State {
  /** Tests the character that the transition consumes. Undefined if it consumes none. */
  accepts: ((character: string) => boolean) | undefined;
  next: State[];
}

/** @throws SyntaxError if brackets or braces do not close */
export function compileGlob(glob: string): Glob {
  const rooted = glob.replace(/^\.\//, '/');
  const isAnchored = rooted.replace(/\/$/, '').includes('/');
  const pattern = rooted.endsWith('/') ? `${rooted}**` : rooted;
  const start: State = { accepts: undefined, next: [] };
  const end = new Compiler(glob, pattern.startsWith('/') ? pattern.slice(1) : pattern).compile(start);
  return { test: (path) => matches(start, end, isAnchored, path) };
}

const isNoSlash = (character: string): boolean => character !== '/';
const isAny = (): boolean => true;

class Compiler {
  /** Open braces: the states where their alternatives begin and end. */
  readonly #braces: { from: State; to: State }[] = [];
  #position = 0;
  /** State after the pattern up to `#position`. */
  #last!: State;

  constructor(
    private readonly glob: string,
    private readonly text: string,
  ) {}

  /** Adds the states of the pattern after `start`. @returns the last state */
  compile(start: State): State {
    this.#last = start;
    while (this.#position < this.text.length) this.#step();
    if (this.#braces.length > 0) throw new SyntaxError(`${this.glob}: "{" has no "}"`);
    return this.#last;
  }

  #step(): void {
    // Paths are read by code point as well.
    const character = String.fromCodePoint(this.text.codePointAt(this.#position)!);
    this.#position += character.length;
    const brace = this.#braces.at(-1);
    if (character === '*') this.#star();
    else if (character === '?') this.#accept(isNoSlash);
    else if (character === '[') this.#set();
    else if (character === '{') this.#braces.push({ from: this.#last, to: { accepts: undefined, next: [] } });
    else if (character === '}' && brace) {
      this.#braces.pop();
      this.#last.next.push(brace.to);
      this.#last = brace.to;
    } else if (character === ',' && brace) {
      this.#last.next.push(brace.to);
      this.#last = brace.from;
    } else if (character === '\\' && this.#position < this.text.length) {
      const escaped = String.fromCodePoint(this.text.codePointAt(this.#position)!);
      this.#position += escaped.length;
      this.#accept((candidate) => candidate === escaped);
    } else this.#accept((candidate) => candidate === character);
  }

  /** Appends a state that consumes one character. */
  #accept(accepts: (character: string) => boolean): void {
    const state: State = { accepts, next: [{ accepts: undefined, next: [] }] };
    this.#last.next.push(state);
    this.#last = state.next[0]!;
  }

  /** Appends a state that consumes any number of characters. */
  #repeat(accepts: (character: string) => boolean): void {
    const after: State = { accepts: undefined, next: [] };
    after.next.push({ accepts, next: [after] });
    this.#last.next.push(after);
    // The loop is a separate state, so that following characters are not added to earlier alternatives.
    this.#last = after;
  }

  #star(): void {
    if (this.text[this.#position] !== '*') {
      this.#repeat(isNoSlash);
      return;
    }
    const isFolder = this.text[this.#position + 1] === '/';
    this.#position += isFolder ? 2 : 1;
    const before = this.#last;
    this.#repeat(isAny);
    if (!isFolder) return;
    this.#accept((candidate) => candidate === '/');
    // `**/` also matches no folder.
    before.next.push(this.#last);
  }

  #set(): void {
    const from = this.#position;
    const end = this.text.indexOf(']', from + 1);
    if (end < 0) throw new SyntaxError(`${this.glob}: "[" has no "]"`);
    if (/^\[[:.=]/.test(this.text.slice(from, from + 2)))
      throw new SyntaxError(`${this.glob}: classes such as [:alpha:] are not supported; use [a-z]`);
    const set = this.text.slice(from, end).replace(/^!/, '^').replaceAll('\\', '\\\\');
    const characters = new RegExp(`^[${set}]$`, 'su');
    this.#position = end + 1;
    this.#accept((candidate) => candidate !== '/' && characters.test(candidate));
  }
}

function matches(start: State, end: State, isAnchored: boolean, path: string): boolean {
  let active = new Set<State>();
  reach(start, active);
  for (const character of path) {
    if (character === '/' && active.has(end)) return true;
    const following = new Set<State>();
    for (const state of active) if (state.accepts?.(character)) for (const next of state.next) reach(next, following);
    // A pattern without a slash is matched at any depth.
    if (!isAnchored && character === '/') reach(start, following);
    active = following;
  }
  return active.has(end);
}

/** Adds a state and all states that can be reached from it without a character. */
function reach(state: State, into: Set<State>): void {
  if (into.has(state)) return;
  into.add(state);
  if (!state.accepts) for (const next of state.next) reach(next, into);
}
