/** Where in an S3-compatible store the blobs lie. */
export interface S3Location {
  bucket: string;
  /** Before every blob's id; empty or ending in a slash. */
  prefix: string;
  /** Undefined: AWS itself. */
  endpoint: string | undefined;
  /** Undefined: as AWS tools find it (AWS_REGION, the profile). */
  region: string | undefined;
}

const OPTIONS = new Set(['endpoint', 'region']);

/**
 * Reads `s3://bucket[/prefix]?endpoint=…&region=…`. Credentials have no place in it: they are found as AWS tools find them (environment,
 * profile, instance).
 * @throws Error that names what is wrong.
 */
export function parseS3Location(text: string): S3Location {
  const refuse = (problem: string): never => {
    throw new Error(`BLOB_STORE ${JSON.stringify(text)} ${problem}; it reads s3://bucket[/prefix]?endpoint=https://…&region=…`);
  };
  if (!URL.canParse(text)) refuse('is not a URL');
  const url = new URL(text);
  if (url.protocol !== 's3:') refuse('does not begin with s3://');
  if (url.hostname === '') refuse('names no bucket');
  if (url.username !== '' || url.password !== '')
    throw new Error('BLOB_STORE holds credentials; give them as AWS tools read them');
  for (const name of url.searchParams.keys()) if (!OPTIONS.has(name)) refuse(`has the unknown option ${name}`);
  const endpoint = url.searchParams.get('endpoint') ?? undefined;
  if (endpoint !== undefined && !/^https?:\/\//.test(endpoint)) refuse('has an endpoint without http:// or https://');
  const prefix = url.pathname.replace(/^\/+|\/+$/g, '');
  return {
    bucket: url.hostname,
    prefix: prefix === '' ? '' : `${decodeURIComponent(prefix)}/`,
    endpoint,
    region: url.searchParams.get('region') ?? undefined,
  };
}
