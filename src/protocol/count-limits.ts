import type { BlobError } from './errors.js';
import { validationError } from './errors.js';

/** Kinds of records whose number is limited: `details.reason` of the `VALIDATION_ERROR` that refuses one more. */
export type CountLimitReason =
  | 'too_many_buckets'
  | 'too_many_domains'
  | 'too_many_folders'
  | 'too_many_invites'
  | 'too_many_members'
  | 'too_many_resources'
  | 'too_many_roles'
  | 'too_many_rules'
  | 'too_many_s3_credentials'
  | 'too_many_shares'
  | 'too_many_webhooks'
  | 'too_many_workspaces';

/**
 * Creates the error for a record above the greatest number.
 * @param field the field of the request that creates the record
 * @param requirement the rest of the sentence after the field's name, see `validationError`
 */
export const countLimitError = (field: string, requirement: string, reason: CountLimitReason, limit: number): BlobError =>
  validationError(field, requirement, { details: { reason, limit } });
