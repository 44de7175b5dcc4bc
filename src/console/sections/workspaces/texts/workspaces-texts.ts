import type { ActivityChange, ActivityGroup } from '../../../../protocol/activity-actions.js';
import type { Notice } from '../../../texts/console-texts.js';
import type { Permission, PermissionGroup } from '../permissions.js';
import type { Activity, FolderColor } from '../records.js';
import type { WorkspacePage } from '../workspace-view.js';

/** Texts of the section Workspaces. */
export interface WorkspacesTexts {
  title: string;
  backToList: string;
  youOwn: string;
  ownedBy(name: string): string;
  pagesLabel: string;
  pages: Record<WorkspacePage, string>;
  denied: string;
  /** States that the role of the user lacks a permission. */
  lacks(permission: Permission): string;
  ownerOnly: string;
  listEmpty: Notice;
  list: Record<
    'label' | 'name' | 'access' | 'open' | 'switch' | 'noFiles' | 'chosen' | 'owner' | 'mayWrite' | 'mayRead' | 'noAccess',
    string
  >;
  create: Record<'action' | 'title' | 'text' | 'name' | 'submit' | 'done', string>;
  rename: Record<'title' | 'name' | 'action' | 'done', string>;
  transfer: Record<'title' | 'hint' | 'noMembers' | 'text' | 'newOwner' | 'choose' | 'action' | 'done' | 'tooMany', string> & {
    effects: readonly string[];
  };
  remove: { heading: string; title(name: string): string; text: string; action: string; done(name: string): string };
  leave: { title(name: string): string; text: string; action: string; done(name: string): string };
  members: Record<
    | 'name'
    | 'email'
    | 'role'
    | 'expires'
    | 'never'
    | 'expired'
    | 'you'
    | 'owner'
    | 'change'
    | 'remove'
    | 'save'
    | 'changed'
    | 'expiresLabel'
    | 'expiresHint'
    | 'removeText'
    | 'ownerReason'
    | 'strongerReason'
    | 'onlyYou'
    | 'readOnly'
    | 'alone',
    string
  > & {
    cannotGive(role: string): string;
    changeTitle(name: string): string;
    removeTitle(name: string): string;
    removed(name: string): string;
  };
  roles: Record<
    | 'name'
    | 'permissions'
    | 'members'
    | 'none'
    | 'create'
    | 'show'
    | 'change'
    | 'delete'
    | 'save'
    | 'created'
    | 'changed'
    | 'deleted'
    | 'deleteText'
    | 'usedReason'
    | 'strongerReason'
    | 'limited'
    | 'onlyYours',
    string
  > & { changeTitle(name: string): string; deleteTitle(name: string): string };
  groups: Record<PermissionGroup, string>;
  permissions: Record<Permission, string>;
  invites: Record<
    | 'create'
    | 'submit'
    | 'for'
    | 'onePerson'
    | 'severalPeople'
    | 'email'
    | 'maxUses'
    | 'days'
    | 'uses'
    | 'everyone'
    | 'delete'
    | 'deleteText'
    | 'deleted',
    string
  > & {
    empty: Notice;
    usesOf(uses: string, max: string): string;
    deleteTitle(name: string): string;
    created: {
      title: string;
      textEmail(email: string): string;
      textLink: string;
      link: string;
      once: string;
      until(time: string): string;
    };
  };
  folders: Record<
    | 'hint'
    | 'favorites'
    | 'noFavorites'
    | 'addFavorite'
    | 'removeFavorite'
    | 'create'
    | 'change'
    | 'save'
    | 'delete'
    | 'deleteText'
    | 'name'
    | 'color'
    | 'addBucket'
    | 'add'
    | 'bucket'
    | 'bucketHint'
    | 'noBucket'
    | 'emptyFolder'
    | 'takeOut'
    | 'moveUp'
    | 'moveDown',
    string
  > & {
    empty: Notice;
    colors: Record<FolderColor, string>;
    addTitle(folder: string): string;
    changeTitle(folder: string): string;
    deleteTitle(folder: string): string;
    moveTo(folder: string): string;
    actionsOf(name: string): string;
  };
  activity: Record<
    | 'export'
    | 'exportHint'
    | 'ofAccount'
    | 'filters'
    | 'all'
    | 'path'
    | 'olderLeft'
    | 'author'
    | 'origin'
    | 'from'
    | 'until'
    | 'action'
    | 'object'
    | 'time'
    | 'failed'
    | 'noMatch'
    | 'searchOn'
    | 'reset',
    string
  > & {
    empty: Notice;
    /** All actions of a group. */
    allOf(group: string): string;
    /** A name and a number of others. */
    andMore(count: number, first: string): string;
    origins: Record<Activity['origin'], string>;
    /** Groups of actions: the first part of an action. */
    groups: Record<ActivityGroup, string>;
    /** Second parts of actions. They follow a group and a colon. */
    changes: Record<ActivityChange<ActivityGroup>, string>;
  };
  /** Texts for errors of the forms, by code and field. */
  problems: Record<string, string>;
}
