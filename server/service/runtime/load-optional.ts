/** The line that installs the packages of each optional part. */
const INSTALL = {
  service:
    'npm install fastify @fastify/cookie @fastify/type-provider-typebox typebox busboy kysely libsql prom-client fast-xml-parser fast-json-stringify',
  postgres: 'npm install pg',
  s3: 'npm install @aws-sdk/client-s3',
  images: 'npm install sharp',
} as const;

/**
 * Loads a module that needs optional packages.
 * @throws Error with the `npm install` line of the missing packages.
 */
export async function loadOptional<T>(part: keyof typeof INSTALL, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    if ((cause as { code?: string }).code !== 'ERR_MODULE_NOT_FOUND') throw cause;
    const line = INSTALL[part];
    throw new Error(`An optional package is not installed. Run: ${line} (with -g if svc-uploader was installed with -g)`, {
      cause,
    });
  }
}
