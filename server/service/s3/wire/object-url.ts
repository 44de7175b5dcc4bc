import type { S3Request } from './request.js';

/** The address of an object as its client knows it; a proxy in front says whether that is TLS. */
export function objectUrl(request: S3Request, bucket: string, key: string): string {
  const scheme = request.headers.get('x-forwarded-proto') === 'https' ? 'https' : 'http';
  return `${scheme}://${request.headers.get('host')}/${bucket}/${key.split('/').map(encodeURIComponent).join('/')}`;
}
