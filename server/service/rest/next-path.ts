/**
 * Returns the path that a page continues with, if it is one of this service. `//evil.example`, `/\evil.example` and what browsers normalize to
 * these lead to other hosts, so they are refused.
 */
export function safeNextPath(next: string | undefined): string | undefined {
  if (next === undefined || next.length > 8192 || !/^\/(?!\/|\\|%2f|%5c)/i.test(next) || /[\\\s\p{Cc}]/u.test(next))
    return undefined;
  if (!URL.canParse(next, 'http://own.invalid')) return undefined;
  const { origin, pathname, search } = new URL(next, 'http://own.invalid');
  const isOwn = origin === 'http://own.invalid' && !/^\/(\/|%2f|%5c)/i.test(pathname);
  return isOwn ? pathname + search : undefined;
}
