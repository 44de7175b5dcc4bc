// Steps of the OAuth flow as plain requests. Clients of others are in oauth-clients.test.ts.

import { createHash, randomBytes } from 'node:crypto';
import type { SignedInUser } from './session-client.js';

/** The service that receives a request. */
type Target = { url: string };

export const REDIRECT = 'https://tool.example.org/callback';

/** A response whose redirect is not followed. */
export interface FlowResponse {
  status: number;
  headers: Headers;
  text: string;
  /** The body, if it is JSON. */
  json: Record<string, string>;
  /** The `Location` header; undefined without one. */
  location: URL | undefined;
}

export async function send(service: Target, method: string, path: string, init: RequestInit = {}): Promise<FlowResponse> {
  const response = await fetch(service.url + path, { redirect: 'manual', ...init, method });
  const text = await response.text();
  const isJson = (response.headers.get('content-type') ?? '').includes('json');
  const location = response.headers.get('location');
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: isJson ? JSON.parse(text) : {},
    location: location === null ? undefined : new URL(location, service.url),
  };
}

export const register = (service: Target, metadata: object): Promise<FlowResponse> =>
  send(service, 'POST', '/oauth/register', {
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(metadata),
  });

export async function newClient(service: Target, name = 'Editor', redirect = REDIRECT): Promise<string> {
  const { status, json, text } = await register(service, { client_name: name, redirect_uris: [redirect] });
  if (status !== 201) throw new Error(text);
  return json['client_id']!;
}

export const newVerifier = (): string => randomBytes(32).toString('base64url');
const challengeOf = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url');

/** Parameters of an authorization request. Undefined removes one. */
export type Changes = Record<string, string | undefined>;

export function authorizePath(clientId: string, verifier: string, changes: Changes = {}): string {
  const parameters: Changes = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: REDIRECT,
    code_challenge: challengeOf(verifier),
    code_challenge_method: 'S256',
    scope: 'blob:read blob:write',
    state: 'a state',
    ...changes,
  };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.set(name, value);
  return `/oauth/authorize?${query.toString()}`;
}

export const visit = (service: Target, path: string, cookie?: string): Promise<FlowResponse> =>
  send(service, 'GET', path, { headers: { Accept: 'text/html', ...(cookie !== undefined && { Cookie: cookie }) } });

/** Reads the hidden field of a consent page. */
export function secretOf({ text }: FlowResponse): string {
  const secret = /name="consent" value="([^"]+)"/.exec(text)?.[1];
  if (secret === undefined) throw new Error(`no consent page: ${text.slice(0, 400)}`);
  return secret;
}

/** Submits the form of a consent page as a browser does. @param fields additional ones; undefined removes one. */
export function submitConsent(
  service: Target,
  cookie: string,
  fields: Changes,
  headers: Record<string, string> = {},
): Promise<FlowResponse> {
  const all = { decision: 'allow', 'scope.blob:read': 'on', 'scope.blob:write': 'on', ...fields };
  const form = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  return send(service, 'POST', '/oauth/consent', {
    headers: { Cookie: cookie, Origin: new URL(service.url).origin, ...headers },
    body: new URLSearchParams(form),
  });
}

/** A code, and everything that its exchange needs. */
export interface Granted {
  clientId: string;
  verifier: string;
  code: string;
  location: URL;
}

/** Registers a client and lets the user allow it. */
export async function grant(
  service: Target,
  { cookie }: SignedInUser,
  { name, changes, fields }: { name?: string; changes?: Changes; fields?: Changes } = {},
): Promise<Granted> {
  const verifier = newVerifier();
  const clientId = await newClient(service, name, changes?.['redirect_uri'] ?? REDIRECT);
  const page = await visit(service, authorizePath(clientId, verifier, changes), cookie);
  const { location, text } = await submitConsent(service, cookie, { consent: secretOf(page), ...fields });
  const code = location?.searchParams.get('code');
  if (!location || !code) throw new Error(`no code: ${location?.href ?? text}`);
  return { clientId, verifier, code, location };
}

export function exchange(service: Target, granted: Omit<Granted, 'location'>, changes: Changes = {}): Promise<FlowResponse> {
  const parameters: Changes = {
    grant_type: 'authorization_code',
    client_id: granted.clientId,
    code: granted.code,
    code_verifier: granted.verifier,
    redirect_uri: REDIRECT,
    ...changes,
  };
  const form = Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  return send(service, 'POST', '/oauth/token', { body: new URLSearchParams(form) });
}

/** Lets a user allow an authorization request, as a browser does. @returns the redirect to the client. */
export async function allowRequest(url: URL, cookie: string): Promise<URL> {
  const service = { url: url.origin };
  const page = await visit(service, url.pathname + url.search, cookie);
  const scopes = [...page.text.matchAll(/name="(scope\.[^"]+)"/g)].map(([, name]) => [name!, 'on']);
  const { location, text } = await submitConsent(service, cookie, { consent: secretOf(page), ...Object.fromEntries(scopes) });
  if (!location) throw new Error(text);
  return location;
}
