import type { RotationTexts } from '../../../components/rotation-form.js';
import type { Notice } from '../../../texts/console-texts.js';
import type { Preset, Scope, ScopeGroup } from '../scopes.js';

/** Question, explanation and result of an action that ends something. */
interface Ending {
  heading(name: string): string;
  text: string;
  done(name: string): string;
}

/** Texts of the section Access. */
export interface AccessTexts {
  title: string;
  tabs: Record<'keys' | 's3' | 'tokens' | 'apps', string>;
  columns: Record<'name' | 'scopes' | 'lastUsed' | 'created' | 'expires' | 'folder', string>;
  neverUsed: string;
  neverExpires: string;
  expired: string;
  details: string;
  revoke: string;
  save: string;
  example: string;
  /** Closes a dialog with a secret. */
  copied: string;
  /** Keys and applications inside a workspace. */
  ofAccount: Notice;
  openOwn: string;
  groups: Record<ScopeGroup, string>;
  scopes: Record<Scope, string>;
  presets: Record<Preset, string>;
  keys: {
    intro: string;
    empty: Notice;
    create: string;
    submit: string;
    change: string;
    rotate: string;
    addresses: string;
    anyAddress: string;
    secret: string;
    once: string;
    created(name: string): string;
    rotated(name: string): string;
    form: Record<'name' | 'nameHint' | 'scopes' | 'custom' | 'platform' | 'platformHint' | 'ips' | 'ipsHint', string>;
    rotation: RotationTexts & { heading(name: string): string };
    revoking: Ending;
  };
  s3: {
    intro: string;
    empty: Notice;
    create: string;
    submit: string;
    access: string;
    readOnly: string;
    readWrite: string;
    allFiles: string;
    copyId: string;
    accessKeyId: string;
    created: string;
    once: string;
    environmentHint: string;
    bucket: string;
    endpoint: string;
    unknownEndpoint: string;
    environment: string;
    form: Record<'name' | 'nameHint' | 'folder' | 'folderHint' | 'lifetime' | 'readOnly' | 'readOnlyHint', string> & {
      lifetimes: Record<'' | '3600' | '86400' | '604800', string>;
    };
    revoking: Ending;
  };
  tokens: {
    intro: string;
    empty: Notice;
    /** The page for members who may only read. */
    hidden: Notice;
    create: string;
    submit: string;
    target: string;
    anywhere: string;
    uses: string;
    usesLeft(left: string, all: string): string;
    state: string;
    states: Record<'active' | 'expired' | 'used' | 'revoked', string>;
    noLimit: string;
    created: string;
    once: string;
    secret: string;
    form: Record<
      | 'folder'
      | 'folderHint'
      | 'path'
      | 'maxUses'
      | 'maxUsesHint'
      | 'lifetime'
      | 'maxSize'
      | 'maxSizeHint'
      | 'extensions'
      | 'extensionsHint'
      | 'overwrite'
      | 'allowDelete',
      string
    > & {
      targets: Record<'prefix' | 'path', string>;
      lifetimes: Record<'60' | '300' | '900' | '1800' | '3600', string>;
    };
    revoking: Ending;
  };
  apps: {
    intro: string;
    empty: Notice;
    connected: string;
    change: string;
    disconnect: string;
    disconnecting: Ending;
  };
}
