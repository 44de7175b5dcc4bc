/** Changes that the activity log records, by group. An action is `group.change`, such as `share.created`. */
export const ACTIVITY_ACTIONS = {
  api_key: ['created', 'updated', 'rotated', 'revoked'],
  domain: ['created', 'changed', 'deleted'],
  favorite: ['added', 'moved', 'removed'],
  files: ['deleted'],
  folder: ['created', 'changed', 'deleted', 'resource_added', 'resource_removed'],
  job: ['finished', 'cancelled'],
  oauth_consent: ['given', 'denied'],
  rule: ['created', 'changed', 'deleted'],
  s3_credential: ['created', 'deleted'],
  session: ['ended', 'all_others_ended'],
  share: ['created', 'changed', 'deleted'],
  upload_token: ['created', 'revoked'],
  user: ['created', 'changed', 'invited', 'enabled', 'disabled', 'password_changed', 'signed_in', 'sign_in_failed'],
  webhook: ['created', 'changed', 'rotated', 'deleted', 'suspended'],
  workspace: ['created', 'renamed', 'transferred', 'deleted'],
  workspace_invite: ['created', 'deleted', 'declined'],
  workspace_member: ['joined', 'changed', 'removed', 'left'],
  workspace_role: ['created', 'changed', 'deleted'],
} as const;

export type ActivityGroup = keyof typeof ACTIVITY_ACTIONS;
/** The changes of a group. */
export type ActivityChange<Group extends ActivityGroup> = (typeof ACTIVITY_ACTIONS)[Group][number];
export type ActivityAction = { [Group in ActivityGroup]: `${Group}.${ActivityChange<Group>}` }[ActivityGroup];

/** Returns the actions of a group, such as `['files.deleted']`. */
export const actionsOf = <Group extends ActivityGroup>(group: Group): ActivityAction[] =>
  ACTIVITY_ACTIONS[group].map((change) => `${group}.${change}` as ActivityAction);
