import type { MessageKey } from '../locales/localizer.js';

export type Device = 'camera' | 'microphone';

interface PermissionsPolicy {
  allowsFeature(feature: string): boolean;
}

/** Returns whether the page, or the page around its frame, forbids a device. Only some browsers tell. */
export function isForbiddenByPage(feature: Device | 'display-capture'): boolean {
  const { permissionsPolicy, featurePolicy } = document as Document & Partial<Record<string, PermissionsPolicy>>;
  const policy = permissionsPolicy ?? featurePolicy;
  return policy?.allowsFeature(feature) === false;
}

/** Returns the text for a device that could not be opened. */
export function deviceErrorText(device: Device, cause: unknown): MessageKey {
  switch (Object(cause).name) {
    case 'NotAllowedError':
    case 'SecurityError':
      return isForbiddenByPage(device) ? 'recordingBlocked' : `${device}Refused`;
    case 'NotFoundError':
    case 'OverconstrainedError':
      return `${device}Missing`;
    default:
      return `${device}Busy`;
  }
}
