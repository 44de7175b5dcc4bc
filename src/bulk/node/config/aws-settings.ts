import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { S3Error } from '../../errors.js';
import type { CredentialProvider, Credentials } from '../../types.js';
import { homeFolder } from './home-folder.js';
import { parseIni } from './ini.js';
import type { Ini } from './ini.js';
import type { Profiles } from './missing-credentials.js';
import { proxyFromEnvironment } from '../http/proxy.js';
import { sdkTransport } from '../http/sdk-transport.js';

const ignore = (): void => {};
/** Loads the certificates that Node trusts. Takes milliseconds, so it is called only if other authorities are named. */
const rootCertificates = (): readonly string[] => process.getBuiltinModule('node:tls').rootCertificates;

type Environment = Readonly<Record<string, string | undefined>>;

/** Connection settings of a store. */
export interface AwsSettings {
  endpoint?: string;
  region?: string;
  pathStyle?: boolean;
  credentials: CredentialProvider | 'anonymous';
  /** PEM of the trusted authorities, if a configuration names some beside those that Node trusts. */
  tls?: { ca: string[] };
}

/** Options of a command line. They take precedence over the environment and the profile. */
export interface AwsFlags {
  profile?: string;
  endpoint?: string;
  region?: string;
  addressing?: 'path' | 'virtual';
  /** `false` sends unsigned requests without credentials. */
  signRequest?: boolean;
}

/**
 * Finds endpoint, region and credentials as AWS's own tools do: in flags, environment and profile. For credentials, the SDK then tries
 * SSO, processes, containers and instance metadata.
 * @throws S3Error `InvalidOption`, `CredentialsMissing` if the profile does not exist
 * @see AWS SDKs and Tools reference guide, "Configuration" and "Service-specific endpoints"
 */
export function awsSettings(environment: Environment, flags: AwsFlags = {}): AwsSettings {
  const variable = (name: string): string | undefined => environment[name] || undefined;
  const profileName = flags.profile ?? variable('AWS_PROFILE') ?? variable('AWS_DEFAULT_PROFILE');
  const { profiles, profile } = readProfiles(environment, profileName);
  const endpoint = flags.endpoint ?? configuredEndpoint(environment, profiles, profile);
  if (endpoint !== undefined && !(/^https?:\/\/./.test(endpoint) && URL.canParse(endpoint)))
    throw new S3Error('InvalidOption', `The endpoint must be an address such as https://s3.example.org, not "${endpoint}".`);
  const region = flags.region ?? variable('AWS_REGION') ?? variable('AWS_DEFAULT_REGION') ?? profile['region'];
  const style = flags.addressing ?? profile['s3.addressing_style'];
  const tls = trustedAuthorities(environment, profile);
  const known = { profileFlag: flags.profile, profile: profileName, region };
  return {
    credentials: flags.signRequest === false ? 'anonymous' : credentialChain(environment, known, profiles, tls),
    ...(endpoint !== undefined && { endpoint }),
    ...(region !== undefined && { region }),
    ...(style === 'path' && { pathStyle: true }),
    ...(style === 'virtual' && { pathStyle: false }),
    ...tls,
  };
}

/** Reads the configuration files. @throws S3Error `CredentialsMissing` if the named profile does not exist */
function readProfiles(
  environment: Environment,
  profileName: string | undefined,
): { profiles: Profiles; profile: Record<string, string> } {
  const home = homeFolder();
  const defaultPath = (name: string): string | undefined => home && join(home, '.aws', name);
  const config = readIni(environment['AWS_CONFIG_FILE'] || defaultPath('config'));
  const secrets = readIni(environment['AWS_SHARED_CREDENTIALS_FILE'] || defaultPath('credentials'));
  const name = profileName ?? 'default';
  if (profileName !== undefined && !config.has(name) && !secrets.has(name))
    throw new S3Error('CredentialsMissing', `There is no profile ${name} in the AWS configuration files.`);
  return { profiles: { config, secrets }, profile: { ...config.get(name), ...secrets.get(name) } };
}

/** Returns the endpoint that the environment or the profile names. */
function configuredEndpoint(environment: Environment, { config }: Profiles, profile: Record<string, string>): string | undefined {
  if (environment['AWS_IGNORE_CONFIGURED_ENDPOINT_URLS']?.toLowerCase() === 'true') return undefined;
  const services = profile['services'] === undefined ? undefined : config.get(`services ${profile['services']}`);
  return (
    (environment['AWS_ENDPOINT_URL_S3'] || undefined) ??
    (environment['AWS_ENDPOINT_URL'] || undefined) ??
    services?.['s3.endpoint_url'] ??
    profile['endpoint_url']
  );
}

/** Returns the trusted authorities if the environment or the profile names some. @throws S3Error `InvalidOption` */
function trustedAuthorities(environment: Environment, profile: Record<string, string>): Pick<AwsSettings, 'tls'> {
  const bundle = environment['AWS_CA_BUNDLE'] || profile['ca_bundle'];
  if (bundle === undefined) return {};
  // The option `ca` replaces all authorities, also those that NODE_EXTRA_CA_CERTS adds.
  const files = [bundle, environment['NODE_EXTRA_CA_CERTS'] || undefined].filter((file) => file !== undefined);
  return { tls: { ca: [...rootCertificates(), ...files.map(readBundle)] } };
}

/** @throws S3Error `InvalidOption` */
function readBundle(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new S3Error('InvalidOption', `The certificates cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

function readIni(path: string | undefined): Ini {
  if (path === undefined) return new Map();
  try {
    return parseIni(readFileSync(path, 'utf8'));
  } catch {
    return new Map();
  }
}

/** Settings that are known before the SDK looks for credentials. */
interface KnownSettings {
  /** The profile that the command line names. */
  profileFlag: string | undefined;
  profile: string | undefined;
  region: string | undefined;
}

/**
 * Returns a provider that looks for credentials: in the profile that the command line names, else in the environment, else in the
 * sources of the SDK. The SDK does not know `AWS_DEFAULT_PROFILE` and the flags, so profile and region are passed on to it. Without a
 * region, AWS's tools use `us-east-1`.
 */
function credentialChain(
  environment: Environment,
  { profileFlag, profile, region = 'us-east-1' }: KnownSettings,
  profiles: Profiles,
  tls: Pick<AwsSettings, 'tls'>,
): CredentialProvider {
  return async () => {
    if (profileFlag === undefined) {
      const credentials = credentialsFrom(environment);
      if (credentials !== undefined) return credentials;
    }
    const { S3Client } = await import('@aws-sdk/client-s3').catch((error: unknown) => {
      throw new S3Error('PeerMissing', 'Profiles need the AWS SDK: run `npm install @aws-sdk/client-s3`.', { cause: error });
    });
    const sdkLog: string[] = [];
    const client = new S3Client({
      region,
      ...(profile !== undefined && { profile }),
      // The SDK would warn that a named profile and keys in the environment are both set.
      logger: { debug: (...words: unknown[]) => sdkLog.push(words.join(' ')), info: ignore, warn: ignore, error: ignore },
      requestHandler: sdkTransport({ proxy: proxyFromEnvironment(environment), ...tls }),
    });
    return client.config.credentials().catch(async (error: unknown) => {
      if (error instanceof S3Error || error instanceof TypeError) throw error;
      throw await missingCredentials(error, { environment, profile, profiles, sdkLog });
    });
  };
}

function credentialsFrom(environment: Environment): Credentials | undefined {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_SESSION_TOKEN: sessionToken } = environment;
  if (!accessKeyId || !secretAccessKey) return undefined;
  return { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) };
}

interface CredentialSources {
  environment: Environment;
  /** The profile that a flag or variable names. */
  profile: string | undefined;
  profiles: Profiles;
  sdkLog: string[];
}

/** Converts an error of the SDK. */
async function missingCredentials(
  error: unknown,
  { environment, profile, profiles, sdkLog }: CredentialSources,
): Promise<S3Error> {
  const { describeMissingCredentials, explainMissingCredentials, errorText } = await import('./missing-credentials.js');
  const text = errorText(error);
  // The SDK reports other errors, such as a role that was refused, as they are.
  if (!text.includes('from any providers')) return new S3Error('CredentialsMissing', text, { cause: error });
  const reason = explainMissingCredentials(profile ?? 'default', profiles, sdkLog);
  if (reason === undefined)
    return new S3Error('CredentialsMissing', describeMissingCredentials(environment, profile), { cause: error });
  return new S3Error('CredentialsMissing', reason, {
    cause: error,
    advice: 'Fix the profile, or name another one with --profile.',
  });
}
