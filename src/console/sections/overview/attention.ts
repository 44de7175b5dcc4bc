import type { ConsoleContext } from '../../shell/context.js';
import { NEARLY_FULL } from '../../components/usage-meter.js';
import { formatNumber } from '../../texts/format.js';
import type { DayStats } from './records.js';
import { overviewTexts } from './texts/texts.js';

/** Something that a person should act on. */
export interface Attention {
  title: string;
  advice: string;
  /** Section that shows it. */
  section?: 'access' | 'sharing' | 'files';
  /** Page of the section. */
  page?: string;
}

interface Domain {
  host: string;
  status: 'pending' | 'verified' | 'suspended';
}
interface ApiKey {
  name: string;
  created_at: string;
  last_used_at: string | null;
}
interface Webhook {
  url: string;
  status: string;
  suspended_reason: string | null;
}

const UNUSED_DAYS = 90;
const DAY_MS = 86_400_000;

/** Finds what needs attention. Keys are read only for the own storage, because they belong to the user. */
export async function findAttention(context: ConsoleContext, signal: AbortSignal): Promise<Attention[]> {
  const { storage, account, workspace } = context;
  const [{ domains }, { webhooks }, keys] = await Promise.all([
    storage.get<{ domains: Domain[] }>('/v1/domains', { signal }),
    storage.get<{ webhooks: Webhook[] }>('/v1/webhooks', { signal }),
    workspace ? [] : account.get<ApiKey[]>('/v1/users/me/api-keys', { signal }),
  ]);
  return [...domains.flatMap(ofDomain), ...webhooks.flatMap(ofWebhook), ...keys.flatMap(ofKey)];
}

function ofDomain({ host, status }: Domain): Attention[] {
  const { pendingDomain, suspendedDomain } = overviewTexts.attention;
  if (status === 'verified') return [];
  return [{ ...(status === 'pending' ? pendingDomain(host) : suspendedDomain(host)), section: 'sharing', page: 'domains' }];
}

function ofWebhook({ url, status, suspended_reason: reason }: Webhook): Attention[] {
  if (status !== 'suspended') return [];
  const { suspendedWebhook, suspendedReasons } = overviewTexts.attention;
  const host = URL.canParse(url) ? new URL(url).host : url;
  return [{ title: suspendedWebhook(host), advice: suspendedReasons[reason ?? ''] ?? '', section: 'sharing', page: 'webhooks' }];
}

function ofKey({ name, created_at, last_used_at }: ApiKey): Attention[] {
  if (Date.now() - Date.parse(last_used_at ?? created_at) < UNUSED_DAYS * DAY_MS) return [];
  return [{ ...overviewTexts.attention.unusedKey(name), section: 'access' }];
}

/** Finds failed uploads of the last week, and a storage that is nearly full. */
export function attentionOfStats(days: readonly DayStats[], bytes: number, quota: number | null): Attention[] {
  const { failedUploads, nearlyFull, full } = overviewTexts.attention;
  const failed = days.slice(-7).reduce((sum, day) => sum + day.failed_uploads, 0);
  const share = quota ? bytes / quota : 0;
  return [
    ...(share >= NEARLY_FULL ? [{ ...(share >= 1 ? full : nearlyFull), section: 'files' as const }] : []),
    ...(failed > 0 ? [failedUploads(failed, formatNumber(failed))] : []),
  ];
}
