import { BlobError } from './errors.js';

/** A response that may be a redirect, and the request before it. */
export interface RedirectCheck {
  /** The response to a request with `redirect: 'manual'`. */
  response: Pick<Response, 'status' | 'type'>;
  /** The response's `Location`. */
  location: string | null;
  /** The base address of the service, as configured. */
  base: string;
  /** Path and query of the request, after the base address. */
  path: string;
  /** The name of the setting that contains the base address, such as `--url`. */
  setting: string;
}

/**
 * Creates the error for a redirect of the service. Redirects are not followed, because the target would receive the API key or
 * the body without being configured.
 * @returns `UNEXPECTED_ANSWER` with the target and the setting to change; undefined if the response is not a redirect
 */
export function redirectError({ response, location, base, path, setting }: RedirectCheck): BlobError | undefined {
  // A browser hides the status of a redirect.
  const status = response.type === 'opaqueredirect' ? 302 : response.status;
  if (status < 300 || status > 399) return undefined;
  const address = base + path;
  const target = location !== null && URL.canParse(location, address) ? new URL(location, address) : undefined;
  const where = target === undefined ? '' : ` to ${formatAddress(target).slice(0, 300)}`;
  return new BlobError(
    'UNEXPECTED_ANSWER',
    `${base} redirects${where}, which is not followed. ${adviseOnTarget(target, path, setting)}`,
    { status },
  );
}

/** Formats an address without its query and credentials, which could be secret. */
const formatAddress = ({ protocol, host, pathname }: URL): string => `${protocol}//${host}${pathname}`;

function adviseOnTarget(target: URL | undefined, path: string, setting: string): string {
  const [route = ''] = path.split('?');
  if (target === undefined || !/^https?:$/.test(target.protocol) || !target.pathname.endsWith(route))
    return `Set ${setting} to the address of the service itself.`;
  return `If you trust this address, set ${setting} to ${formatAddress(target).slice(0, -route.length)}`;
}
