import type { S3Request } from './request.js';

/** Builds the URL of an object with the host of the request and the scheme that a trusted proxy reports. */
export function objectUrl(request: S3Request, bucket: string, key: string): string {
  return `${request.client.scheme}://${request.headers.get('host')}/${bucket}/${key.split('/').map(encodeURIComponent).join('/')}`;
}
