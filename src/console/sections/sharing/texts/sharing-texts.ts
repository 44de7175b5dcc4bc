import type { RotationTexts } from '../../../components/rotation-form.js';
import type { Notice } from '../../../texts/console-texts.js';
import type { Delivery, Domain, EventName, ShareKind, Webhook } from '../records.js';

/** Question, explanation and result of an action that ends something. */
interface Ending {
  heading(name: string): string;
  text: string;
  done(name: string): string;
}

/** Texts that every list has. */
interface ListTexts {
  intro: string;
  empty: Notice;
  create: string;
  submit: string;
  change: string;
  remove: string;
  removing: Ending;
}

/** Texts of the section Sharing. */
export interface SharingTexts {
  title: string;
  tabs: Record<'shares' | 'rules' | 'domains' | 'webhooks', string>;
  columns: Record<'name' | 'kind' | 'folder' | 'state' | 'created' | 'expires', string>;
  never: string;
  save: string;
  allFiles: string;
  folderHint: string;
  /** Closes a dialog with a secret. */
  copied: string;
  shares: ListTexts & {
    kinds: Record<ShareKind, string>;
    kindHints: Record<ShareKind, string>;
    /** Explains what a link does. */
    linkTexts: Record<ShareKind, string>;
    uses: string;
    downloads(count: string, limit: string | undefined): string;
    received(count: string, limit: string | undefined): string;
    link: string;
    showLink: string;
    copyLink: string;
    linkCopied: string;
    needsPassword: string;
    hasPassword: string;
    ended: string;
    expiredText: string;
    usedUpText: string;
    form: Record<
      | 'kind'
      | 'path'
      | 'folder'
      | 'title'
      | 'titleHint'
      | 'password'
      | 'passwordHint'
      | 'passwordKept'
      | 'removePassword'
      | 'expires'
      | 'expiresHint'
      | 'maxDownloads'
      | 'maxFiles'
      | 'noLimitHint'
      | 'maxSize'
      | 'maxSizeHint'
      | 'extensions'
      | 'extensionsHint'
      | 'accent'
      | 'accentHint',
      string
    >;
  };
  rules: ListTexts & {
    limits: string;
    summary: {
      private: string;
      public: string;
      maxSize(size: string): string;
      expires(days: string): string;
      images(sizes: string): string;
    };
    /** The folder is not valid, or another rule has it. */
    folderProblem: string;
    form: Record<
      | 'visibility'
      | 'visibilityHint'
      | 'unchanged'
      | 'maxSize'
      | 'maxSizeHint'
      | 'extensions'
      | 'extensionsHint'
      | 'expires'
      | 'expiresHint'
      | 'cache'
      | 'cacheHint'
      | 'images'
      | 'imagesHint',
      string
    >;
  };
  domains: ListTexts & {
    host: string;
    hostHint: string;
    states: Record<Domain['status'], string>;
    explanations: Record<Domain['status'], string>;
    /** DNS did not respond. */
    unanswered: string;
    /** The record exists, but has other values. */
    differs: string;
    foundValues: string;
    checked: string;
    check: string;
    show: string;
    recordIntro: string;
    type: string;
    recordName: string;
    recordValue: string;
    pointing: string;
  };
  webhooks: ListTexts & {
    events: Record<EventName, string>;
    /** `failing`: on, but its last delivery failed. */
    states: Record<Webhook['status'] | 'failing', string>;
    suspended: Record<NonNullable<Webhook['suspended_reason']>, string>;
    failingSince: string;
    oldSecretUntil: string;
    enable: string;
    disable: string;
    rotate: string;
    deliveries: string;
    secret: string;
    secretHeading: string;
    secretText: string;
    once: string;
    form: Record<'url' | 'urlHint' | 'events' | 'folderHint' | 'description', string>;
    rotation: RotationTexts & { heading: string };
  };
  delivery: {
    intro: string;
    empty: Notice;
    emptyFilter: Notice;
    event: string;
    states: Record<Delivery['status'], string>;
    lastAttempt: string;
    nextAttempt: string;
    attempts: string;
    notSent: string;
    /** Reasons for which an attempt got no response. */
    problems: Record<'address_refused' | 'unresolved' | 'connection' | 'timeout' | 'invalid_url', string>;
    duration(milliseconds: string): string;
    payload: string;
    filter: string;
    all: string;
    show: string;
    repeat: string;
    repeated: string;
  };
}
