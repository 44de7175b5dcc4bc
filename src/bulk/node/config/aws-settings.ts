import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { S3Error } from '../../errors.js';
import type { CredentialProvider } from '../../types.js';
import { homeFolder } from './home-folder.js';
import { parseIni } from './ini.js';
import type { Ini } from './ini.js';
import type { Profiles } from './missing-credentials.js';
import { proxyFromEnvironment } from '../http/proxy.js';
import { sdkTransport } from '../http/sdk-transport.js';

const silent = (): void => {};
/** Asked for when needed: to load them takes a moment. */
const rootCertificates = (): readonly string[] => process.getBuiltinModule('node:tls').rootCertificates;

type Environment = Readonly<Record<string, string | undefined>>;

export interface AwsSettings {
  endpoint?: string;
  region?: string;
  pathStyle?: boolean;
  credentials: CredentialProvider | 'anonymous';
  /** PEM of the trusted authorities, where others are named beside those that Node knows by itself. */
  tls?: { ca: string[] };
}

/** What a command line said; it comes before everything else. */
export interface AwsFlags {
  profile?: string;
  endpoint?: string;
  region?: string;
  addressing?: 'path' | 'virtual';
  /** False: no credentials are looked for, and nothing is signed. */
  signRequest?: boolean;
}

/**
 * Address, region and credentials as AWS's own tools find them: flags, environment, profile, and for credentials then
 * SSO, processes, containers and instance metadata, by the SDK's own chain.
 * Source: AWS SDKs and Tools reference guide, "Configuration" and "Service-specific endpoints".
 */
export function awsSettings(environment: Environment, flags: AwsFlags = {}): AwsSettings {
  const variable = (name: string): string | undefined => environment[name] || undefined;
  const profileName = flags.profile ?? variable('AWS_PROFILE') ?? variable('AWS_DEFAULT_PROFILE');
  const files = (): Profiles & { profile: Record<string, string> } => {
    const home = homeFolder();
    const file = (name: string): string | undefined => home && join(home, '.aws', name);
    const config = read(variable('AWS_CONFIG_FILE') ?? file('config'));
    const secrets = read(variable('AWS_SHARED_CREDENTIALS_FILE') ?? file('credentials'));
    const name = profileName ?? 'default';
    if (profileName !== undefined && !config.has(name) && !secrets.has(name))
      throw new S3Error('CredentialsMissing', `There is no profile ${name} in the AWS configuration files.`);
    return { config, secrets, profile: { ...config.get(name), ...secrets.get(name) } };
  };
  const { config, secrets, profile } = files();

  const ignored = variable('AWS_IGNORE_CONFIGURED_ENDPOINT_URLS')?.toLowerCase() === 'true';
  const services = profile['services'] === undefined ? undefined : config.get(`services ${profile['services']}`);
  const configured = ignored
    ? undefined
    : (variable('AWS_ENDPOINT_URL_S3') ??
      variable('AWS_ENDPOINT_URL') ??
      services?.['s3.endpoint_url'] ??
      profile['endpoint_url']);
  const endpoint = flags.endpoint ?? configured;
  if (endpoint !== undefined && !(/^https?:\/\/./.test(endpoint) && URL.canParse(endpoint)))
    throw new S3Error('InvalidOption', `The endpoint must be an address such as https://s3.example.org, not "${endpoint}".`);
  const region = flags.region ?? variable('AWS_REGION') ?? variable('AWS_DEFAULT_REGION') ?? profile['region'];
  const style = flags.addressing ?? profile['s3.addressing_style'];
  const bundle = variable('AWS_CA_BUNDLE') ?? profile['ca_bundle'];
  // Stated authorities take the place of what NODE_EXTRA_CA_CERTS adds: it is said again.
  const added = bundle === undefined ? [] : [bundle, variable('NODE_EXTRA_CA_CERTS')].filter((file) => file !== undefined);
  const tls = added.length > 0 && { tls: { ca: [...rootCertificates(), ...added.map(readBundle)] } };
  const known = { stated: flags.profile, profile: profileName, region };
  return {
    credentials: flags.signRequest === false ? 'anonymous' : credentialChain(environment, known, { config, secrets }, tls || {}),
    ...(endpoint !== undefined && { endpoint }),
    ...(region !== undefined && { region }),
    ...(style === 'path' && { pathStyle: true }),
    ...(style === 'virtual' && { pathStyle: false }),
    ...tls,
  };
}

/** @throws S3Error `InvalidOption` */
function readBundle(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new S3Error('InvalidOption', `The certificates cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

function read(path: string | undefined): Ini {
  if (path === undefined) return new Map();
  try {
    return parseIni(readFileSync(path, 'utf8'));
  } catch {
    return new Map();
  }
}

/**
 * A profile that the command named comes first, then the environment, then whatever the SDK knows to ask. The SDK knows
 * neither `AWS_DEFAULT_PROFILE` nor which region was said: both are handed on, or it would act as another, or elsewhere. Where none
 * was said, AWS's tools take the first.
 */
function credentialChain(
  environment: Environment,
  { stated, profile, region = 'us-east-1' }: Record<'stated' | 'profile' | 'region', string | undefined>,
  profiles: Profiles,
  tls: Pick<AwsSettings, 'tls'>,
): CredentialProvider {
  return async () => {
    const {
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
      AWS_SESSION_TOKEN: sessionToken,
    } = environment;
    if (stated === undefined && accessKeyId && secretAccessKey)
      return { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) };
    const { S3Client } = await import('@aws-sdk/client-s3').catch((error: unknown) => {
      throw new S3Error('PeerMissing', 'Profiles need the AWS SDK: run `npm install @aws-sdk/client-s3`.', { cause: error });
    });
    const said: string[] = [];
    const client = new S3Client({
      region,
      ...(profile !== undefined && { profile }),
      // A profile that was said need not be told from keys in the environment.
      logger: { debug: (...words: unknown[]) => said.push(words.join(' ')), info: silent, warn: silent, error: silent },
      requestHandler: sdkTransport({ proxy: proxyFromEnvironment(environment), ...tls }),
    });
    return client.config.credentials().catch(async (error: unknown) => {
      if (error instanceof S3Error || error instanceof TypeError) throw error;
      const { explainMissingCredentials, errorText } = await import('./missing-credentials.js');
      const words = errorText(error);
      // The SDK asks whatever is next, and then says that nobody had any; a refusal, as of a role, it tells as it is.
      const why = words.includes('from any providers')
        ? explainMissingCredentials(profile ?? 'default', profiles, said)
        : undefined;
      const more = why === undefined ? {} : { advice: 'Mend the profile, or name another.' };
      throw new S3Error('CredentialsMissing', why ?? words, { cause: error, ...more });
    });
  };
}
