import { UNKNOWN_ENDPOINT } from '../../api/records.js';
import type { S3Place } from '../../api/records.js';
import { quoteForShell } from '../../components/quote-for-shell.js';

export const s3Address = ({ bucket }: S3Place, key: string): string => `s3://${bucket}/${key}`;

/** Returns commands that download files and folders. @param keys a folder ends with a slash, or is '' */
export function s3Commands(place: S3Place, keys: readonly string[]): { svcBlob: string; aws: string } {
  const endpoint = quoteForShell(place.endpoint ?? UNKNOWN_ENDPOINT);
  const isFolder = (key: string): boolean => key === '' || key.endsWith('/');
  const targetOf = (key: string): string => (isFolder(key) && key !== '' ? quoteForShell(`./${nameOf(key)}`) : '.');
  const command = (program: string, recursive: string) => (key: string) =>
    `${program}${isFolder(key) ? ` ${recursive}` : ''} ${quoteForShell(s3Address(place, key))} ${targetOf(key)}`;
  return {
    svcBlob: keys.map(command(`svc-blob cp --endpoint ${endpoint}`, '-r')).join('\n'),
    aws: keys.map(command(`aws --endpoint-url ${endpoint} s3 cp`, '--recursive')).join('\n'),
  };
}

/** Returns the last segment of a path. Dots alone would lead out of the present folder. */
const nameOf = (key: string): string => {
  const name = key.split('/').findLast((segment) => segment !== '') ?? '';
  return name === '' || name === '..' || name === '.' ? 'folder' : name;
};
