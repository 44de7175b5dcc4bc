import { API_KEY } from '../../../../src/protocol/limits.js';
import { platformError } from '../../../../src/protocol/platform-errors.js';
import { isAddressRange } from '../../runtime/ip-addresses.js';
import { OAUTH_NAME_PREFIX } from './api-key.js';
import { assertScopes } from '../scopes.js';
import type { Scope } from '../scopes.js';

/** The fields of a key that its owner chooses, from a request or a command. */
export interface KeyFields {
  name: unknown;
  scopes: unknown;
  /** @default any address */
  allowedIps?: unknown;
}

/** Removes the prefix that lists show before names of OAuth clients. It is no part of a name, and clients send names back as they read them. */
export const bareName = (name: unknown): unknown => {
  let bare = name;
  while (typeof bare === 'string' && bare.startsWith(OAUTH_NAME_PREFIX)) bare = bare.slice(OAUTH_NAME_PREFIX.length);
  return bare;
};

/** The validated fields of a key. */
export interface ValidKeyFields {
  name: string;
  scopes: Scope[];
  allowedIps: string[];
}

/** @throws `API_KEY_INVALID_NAME`, `API_KEY_INVALID_SCOPES`, `API_KEY_INVALID_IPS` */
export const validateKey = ({ name, scopes, allowedIps }: KeyFields): ValidKeyFields => ({
  name: validateName(name),
  scopes: assertScopes(scopes),
  allowedIps: allowedIps === undefined ? [] : validateAllowedIps(allowedIps),
});

/** Validates the fields that change. Undefined fields stay as they are. @throws as `validateKey` does. */
export const validateKeyChanges = ({ name, scopes, allowedIps }: Partial<KeyFields>): Partial<ValidKeyFields> => ({
  ...(name !== undefined && { name: validateName(name) }),
  ...(scopes !== undefined && { scopes: assertScopes(scopes) }),
  ...(allowedIps !== undefined && { allowedIps: validateAllowedIps(allowedIps) }),
});

const invalidName = (problem: string) => platformError('API_KEY_INVALID_NAME', `\`name\` ${problem}`, { path: 'name' });
const invalidIps = (problem: string) =>
  platformError('API_KEY_INVALID_IPS', `\`allowed_ips\` ${problem}`, { path: 'allowed_ips' });

function validateName(shown: unknown): string {
  const name = bareName(shown);
  const { min, max } = API_KEY.name;
  if (typeof name !== 'string') throw invalidName(`must be a string of ${min} to ${max} characters.`);
  const length = [...name].length;
  if (length < min || length > max) throw invalidName(`must have ${min} to ${max} characters; got ${length}.`);
  if (name.trim() === '' || /[\p{Cc}\p{Cs}]/u.test(name))
    throw invalidName('must contain visible characters and no control characters.');
  return name;
}

function validateAllowedIps(allowedIps: unknown): string[] {
  if (!Array.isArray(allowedIps)) throw invalidIps('must be a list of IP addresses and CIDR ranges.');
  if (allowedIps.length > API_KEY.allowedIps)
    throw invalidIps(`must have at most ${API_KEY.allowedIps} addresses; got ${allowedIps.length}.`);
  for (const ip of allowedIps as unknown[]) {
    if (typeof ip !== 'string') throw invalidIps('must contain only strings.');
    if (!isAddressRange(ip))
      throw invalidIps(`must contain IP addresses or CIDR ranges such as 10.0.0.0/8; got ${JSON.stringify(ip.slice(0, 60))}.`);
  }
  return allowedIps as string[];
}
