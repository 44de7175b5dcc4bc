import type { CountLimitReason } from '../../protocol/count-limits.js';

/** A heading and a sentence below it. */
export interface Notice {
  title: string;
  text: string;
}

/** Texts of the frame and of the shared components. Each section has texts of its own. */
export interface ConsoleTexts {
  product: string;
  navigation: string;
  openNavigation: string;
  close: string;
  cancel: string;
  retry: string;
  refresh: string;
  copy: string;
  copied: string;
  copyFailed: string;
  more: string;
  loading: string;
  skipToContent: string;
  /** Titles in the navigation. The keys are the ids of `shell/sections.ts`. */
  sections: Record<SectionId, string>;
  workspace: {
    label: string;
    own: string;
    manage: string;
    showOwn: string;
    readOnlyReason: string;
    noAccess: Notice;
    unknown: Notice;
  };
  account: {
    menu: string;
    signOut: string;
    theme: string;
    themes: Record<'system' | 'light' | 'dark', string>;
    help: string;
    reference: string;
  };
  quota: {
    used(used: string, total: string): string;
    usedUnlimited(used: string): string;
    nearlyFull: string;
    full: string;
  };
  /** The session has ended while something would be lost. */
  session: Notice & { signIn: string };
  offline: string;
  notFound: Notice & { action: string };
  loadFailed: Notice;
  help: {
    title: string;
    general: string;
    keys: Record<'help' | 'search' | 'close', string>;
    table: string;
    tableKeys: Record<'move' | 'ends' | 'open' | 'select' | 'range' | 'all' | 'menu', string>;
  };
  confirm: { typeName(name: string): string };
  table: { selectAll: string; selectRow(name: string): string; actionsOf(name: string): string };
  errors: {
    network: Advice;
    busy: Advice;
    rate: { title: string; advice(seconds: number): string; adviceUntil(time: string): string };
    session: Advice;
    denied: Advice;
    /** The virus scanner found something in a file. */
    infected: Advice;
    missing: Advice;
    full: Advice;
    failed: { title: string; advice(requestId: string): string };
    other: { title: string };
  };
  /** Texts for values that the service refuses, see `components/describe-error.ts`. */
  problems: {
    /** The greatest number of records exists. @param records one of `records` */
    limit(limit: number, records: string): string;
    records: Readonly<Record<CountLimitReason, string>>;
    /** By the field that the error names. */
    fields: Readonly<Record<RefusedField, string>>;
    /** By code, for errors without such a field. */
    codes: Readonly<Record<RefusalCode, string>>;
    /** For all other errors. @default the message of the API, which is in English */
    other?: string;
  };
}

interface Advice {
  title: string;
  advice: string;
}

/** Fields of forms whose values the service may refuse. */
type RefusedField =
  | 'name'
  | 'scopes'
  | 'allowed_ips'
  | 'path'
  | 'prefix'
  | 'to'
  | 'max_uses'
  | 'max_size'
  | 'allowed_extensions'
  | 'max_downloads'
  | 'max_files'
  | 'expires_at'
  | 'expires_in'
  | 'expires_after'
  | 'password'
  | 'title'
  | 'accent'
  | 'cache_control'
  | 'content_disposition'
  | 'metadata'
  | 'image_sizes'
  | 'host'
  | 'url'
  | 'events'
  | 'description';

/** Codes of refusals that name no field. */
type RefusalCode =
  | 'API_KEY_LIMIT_REACHED'
  | 'JOB_LIMIT_REACHED'
  | 'FILE_EXISTS'
  | 'FILE_NOT_SCANNED'
  | 'FILE_INFECTED'
  | 'INVALID_PATH'
  | 'PRECONDITION_FAILED'
  | 'BLOB_FILE_TOO_LARGE'
  | 'BLOCKED_FILE_TYPE';

/** Ids of the sections in `shell/sections.ts`. */
export type SectionId = 'files' | 'overview' | 'access' | 'sharing' | 'workspaces' | 'activity' | 'profile';
