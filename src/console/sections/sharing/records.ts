import type { Visibility } from '../../../protocol/types.js';

/** A share as the API lists it. */
export interface Share {
  id: string;
  path: string | null;
  prefix: string | null;
  url: string;
  has_password: boolean;
  expires_at: string | null;
  max_downloads: number | null;
  downloads: number;
  mode: 'read' | 'upload';
  max_size: number | null;
  allowed_extensions: string[] | null;
  max_files: number | null;
  files_received: number;
  title: string | null;
  accent: string | null;
  created_at: string;
}

export const SHARE_KINDS = ['folder', 'file', 'upload'] as const;
export type ShareKind = (typeof SHARE_KINDS)[number];

export const kindOf = ({ mode, path }: Share): ShareKind => {
  if (mode === 'upload') return 'upload';
  return path === null ? 'folder' : 'file';
};

/** Defaults and limits of a folder. */
export interface Rule {
  id: string;
  prefix: string;
  max_size: number | null;
  allowed_extensions: string[] | null;
  visibility: Visibility | null;
  cache_control: string | null;
  /** Seconds. */
  expires_after: number | null;
  image_sizes: string[] | null;
  created_at: string;
}

/** A host name that serves public files. */
export interface Domain {
  id: string;
  host: string;
  prefix: string;
  status: 'pending' | 'verified' | 'suspended';
  /** `found` has other values that the check found. It is null if DNS did not respond. */
  dns_record: { type: 'TXT'; name: string; value: string; found?: string[] | null };
  verified_at: string | null;
  checked_at: string | null;
  created_at: string;
}

export const EVENTS = ['file.created', 'file.updated', 'file.deleted', 'file.scanned', 'upload.failed'] as const;
export type EventName = (typeof EVENTS)[number];

export interface Webhook {
  id: string;
  url: string;
  description: string;
  events: EventName[];
  prefix: string;
  status: 'enabled' | 'disabled' | 'suspended';
  suspended_reason: 'failing' | 'gone' | 'backlog' | 'permission' | null;
  suspended_at: string | null;
  failing_since: string | null;
  previous_secret_expires_at: string | null;
  created_at: string;
}

export type WebhookWithSecret = Webhook & { secret: string };

export const DELIVERY_STATES = ['pending', 'delivered', 'failed'] as const;

/** A delivery of a webhook. */
export interface Delivery {
  id: string;
  event: EventName;
  status: (typeof DELIVERY_STATES)[number];
  /** Oldest first. */
  attempts: { at: string; status: number | null; error: string | null; duration_ms: number }[];
  next_attempt_at: string | null;
  created_at: string;
  settled_at: string | null;
}

export type DeliveryWithPayload = Delivery & { payload: Record<string, unknown> };
