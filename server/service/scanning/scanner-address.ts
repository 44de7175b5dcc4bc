/** The TCP address or Unix socket of clamd. */
export type ScannerAddress = { host: string; port: number } | { path: string };

const DEFAULT_PORT = 3310;

/** Parses `clamd://host:port`, or `clamd:///path` for a Unix socket. @returns undefined if the text is no such address */
export function parseScannerAddress(text: string): ScannerAddress | undefined {
  const [, authority, path] = /^clamd:\/\/([^/?#@]*)(\/[^?#]*)?$/.exec(text) ?? [];
  if (authority === undefined) return undefined;
  if (authority === '') return path === undefined || path === '/' ? undefined : { path };
  const [, bracketed, plain, digits] = /^(?:\[([\da-f:.]+)\]|([\w.-]+))(?::(\d{1,5}))?$/i.exec(authority) ?? [];
  const host = bracketed ?? plain;
  const port = Number(digits ?? DEFAULT_PORT);
  if (host === undefined || (path ?? '/') !== '/' || port < 1 || port > 65_535) return undefined;
  return { host, port };
}

/** @throws Error if the text is no address of a scanner. */
export function requireScannerAddress(text: string): ScannerAddress {
  const address = parseScannerAddress(text);
  if (!address) throw new Error(`scan must be clamd://host:port or clamd:///path/of/socket; got "${text}"`);
  return address;
}
