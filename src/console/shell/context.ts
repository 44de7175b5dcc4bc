import type { TemplateResult } from 'lit';
import type { StatsRecord } from '../../protocol/types.js';
import type { Api } from '../api/api.js';
import type { User, Workspace } from '../api/records.js';
import type { Place, Router } from './router.js';

/** Reason for which the chosen storage cannot be shown. */
export type StorageProblem = 'unknown' | 'noAccess';

/** The user, the chosen storage and its client. Each change of the workspace makes a new object. */
export interface ConsoleContext {
  user: User;
  /** Requests for files and everything else that belongs to the chosen storage. */
  storage: Api;
  /** Requests for the user, in no workspace. */
  account: Api;
  workspaces: readonly Workspace[];
  /** The chosen workspace; undefined for the own storage. */
  workspace: Workspace | undefined;
  /** Whether the user may change files of the chosen storage. */
  mayWrite: boolean;
  router: Router;
  /** Reads the statistics again, after files were added or deleted. */
  refreshStats(): void;
  /** Reads the user and the workspaces again, after one of them was changed. */
  refreshProfile(): Promise<void>;
  /** Reason for which the chosen storage cannot be shown. Only sections with `needsNoStorage` render then. */
  problem: StorageProblem | undefined;
  stats: StatsRecord | undefined;
}

/** A section, once its code has loaded. */
export interface Section {
  /** Renders the section at a place. */
  render(context: ConsoleContext, place: Place): TemplateResult;
}
