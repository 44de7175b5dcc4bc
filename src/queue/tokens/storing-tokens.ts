import type { UploadItem } from '../types.js';
import type { UploadToken } from './read-token.js';

/** The token that stored each file, while the page is open. A page that reads or serializes its files does not reach it. */
const storingTokens = new WeakMap<UploadItem, UploadToken>();

/** Remembers the token that stored a file. Only this token may delete it. */
export const rememberStoringToken = (item: UploadItem, token: UploadToken): unknown => storingTokens.set(item, token);

/** @returns undefined for a file of an earlier visit, and for one that no token stored */
export const storingTokenOf = (item: UploadItem): UploadToken | undefined => storingTokens.get(item);
