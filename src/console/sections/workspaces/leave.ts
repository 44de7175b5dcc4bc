import { html } from 'lit';
import { openForm } from '../../components/form.js';
import { showToast } from '../../components/toast.js';
import { workspacesTexts } from './texts/texts.js';
import type { WorkspaceView } from './workspace-view.js';

/** Ends the own membership, after a confirmation. */
export async function leaveWorkspace(view: WorkspaceView): Promise<void> {
  const { leave, problems } = workspacesTexts;
  const { context, details } = view;
  const address = view.path(`/members/${context.user.id}`);
  const isDone = await openForm(leave.title(details.name), {
    fields: () => html`<p>${leave.text}</p>`,
    submit: leave.action,
    isDangerous: true,
    send: async (_form, signal) => {
      await context.account.delete(address, { signal });
      return true;
    },
    problems,
  });
  if (!isDone) return;
  showToast({ text: leave.done(details.name) });
  await goToList(context, details.id);
}

/** Opens the list of workspaces, after the user lost access to one. */
export async function goToList(context: WorkspaceView['context'], lostId: string): Promise<void> {
  const isChosen = context.workspace?.id === lostId;
  context.router.go(context.router.href('workspaces', [], isChosen ? { workspace: undefined } : {}));
  await context.refreshProfile().catch(() => {});
}
