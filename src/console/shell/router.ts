/** The part of an address that the console shows. */
export interface Place {
  /** Id of the section. */
  section: string;
  /** Decoded segments after the section. */
  segments: readonly string[];
  params: URLSearchParams;
}

export interface NavigationOptions {
  replace?: boolean;
  state?: object | null;
}

const BASE = '/console';

/** Reads and changes the address of the page. Fires `change` when it names another place. */
export class Router extends EventTarget {
  place = readPlace(location);
  /** Whether the newest change came from the Back or Forward button. */
  isHistory = false;

  /** Listens to links within the console, and to Back and Forward. */
  start(): void {
    addEventListener('popstate', () => this.#changed(true));
    document.addEventListener('click', this.#onClick);
  }

  /** Returns the address of a place. The workspace stays. */
  href(section: string, segments: readonly string[] = [], params: Record<string, string | undefined> = {}): string {
    const path = [section, ...segments].map(encodeURIComponent).join('/');
    const query = new URLSearchParams();
    const workspace = this.place.params.get('workspace');
    for (const [name, value] of Object.entries({ ...(workspace !== null && { workspace }), ...params }))
      if (value !== undefined) query.set(name, value);
    const text = query.toString();
    return `${BASE}/${path}${text === '' ? '' : `?${text}`}`;
  }

  /**
   * Goes to an address of the console.
   * @param options.replace whether Back skips the present one
   * @param options.state data of the entry of the history, which a reload keeps
   */
  go(href: string, { replace = false, state = null }: NavigationOptions = {}): void {
    if (replace) history.replaceState(state, '', href);
    else history.pushState(state, '', href);
    this.#changed(false);
  }

  /** Changes parameters of the present place. Undefined removes one. */
  setParams(params: Record<string, string | undefined>, options: NavigationOptions = {}): void {
    const url = new URL(location.href);
    for (const [name, value] of Object.entries(params))
      if (value === undefined) url.searchParams.delete(name);
      else url.searchParams.set(name, value);
    this.go(url.pathname + url.search, options);
  }

  #changed(isHistory: boolean): void {
    this.isHistory = isHistory;
    this.place = readPlace(location);
    this.dispatchEvent(new Event('change'));
  }

  #onClick = (event: MouseEvent): void => {
    if (event.defaultPrevented || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    const link = event.composedPath().find((target): target is HTMLAnchorElement => target instanceof HTMLAnchorElement);
    if (!link || link.target !== '' || link.hasAttribute('download') || link.origin !== location.origin) return;
    if (link.pathname !== BASE && !link.pathname.startsWith(`${BASE}/`)) return;
    event.preventDefault();
    this.go(link.pathname + link.search);
  };
}

function readPlace({ pathname, search }: { pathname: string; search: string }): Place {
  const [section = '', ...segments] = pathname
    .slice(BASE.length + 1)
    .split('/')
    .map(decode);
  if (segments.at(-1) === '') segments.pop();
  return { section, segments, params: new URLSearchParams(search) };
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
