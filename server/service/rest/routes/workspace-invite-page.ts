import type { FastifyReply, FastifyRequest } from 'fastify';
import { BlobError } from '../../../../src/protocol/errors.js';
import type { Session } from '../../identity/users/sessions.js';
import type { UserRecord } from '../../identity/users/users.js';
import { callerOfSession } from '../../identity/workspaces/caller.js';
import type { App, RouteContext } from '../context.js';
import { addFormParser, fieldOf } from '../form-body.js';
import { problemOf } from '../pages/form-problems.js';
import { languageOf, textsIn } from '../pages/texts.js';
import {
  declinedPage,
  endedInvitePage,
  invalidInvitePage,
  invitePage,
  joinedPage,
  READER_FIELD,
  signedOutInvitePage,
} from '../pages/workspace-invite-page.js';
import { WORKSPACE_INVITE_TEXTS } from '../pages/workspace-invite-texts.js';
import { sessionOfPage } from '../page-session.js';
import { assertFormOrigin } from '../session-cookie.js';

const page = { config: { access: 'everyone' as const, isPage: true } };
const PATH = '/workspace-invites';

/** Returns the path of the page of an invite, which works without scripts. */
export const invitePagePath = (token: string): string => `${PATH}/${encodeURIComponent(token)}`;

type TokenRequest = FastifyRequest<{ Params: { token: string } }>;

/** Defines the page behind the link of an invite. Register it in a scope of its own, because it reads forms. */
export function workspaceInvitePageRoutes(app: App, context: RouteContext): void {
  addFormParser(app);
  app.get<{ Params: { token: string } }>(`${PATH}/:token`, page, (request, reply) => showInvite(context, request, reply));
  app.post<{ Params: { token: string } }>(`${PATH}/:token`, page, (request, reply) => decideInvite(context, request, reply));
  // Pages of their own, so that a reload sends no form again and needs no valid invite.
  app.get<{ Params: { id: string } }>(`${PATH}/joined/:id`, page, async (request, reply) => {
    const session = await sessionOfPage(context, request);
    if (!session) return reply.header('Cache-Control', 'no-store').redirect(signInPath(request.url), 303);
    return showMembership(context, reply, session, request.params.id);
  });
  app.get(`${PATH}/declined`, page, async (request, reply) => {
    const session = await sessionOfPage(context, request);
    return declinedPage(reply, (session && (await context.users.get(session.userId)).language) ?? languageOf(request));
  });
}

const signInPath = (next: string): string => `/sign-in?next=${encodeURIComponent(next)}`;
const isNotFound = (error: unknown): boolean => error instanceof BlobError && error.code === 'NOT_FOUND';

async function showInvite(context: RouteContext, request: TokenRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { token } = request.params;
  const path = invitePagePath(token);
  const session = await sessionOfPage(context, request);
  if (!session) {
    const language = languageOf(request);
    const render = (await context.inviteLinks.isOpen(token)) ? signedOutInvitePage : endedInvitePage;
    return render(reply, language, path, textsIn(language).signIn);
  }
  return showInviteTo(context, reply, { session, token });
}

/** Shows an invite, or that it is not valid, to a signed-in user. */
async function showInviteTo(
  context: RouteContext,
  reply: FastifyReply,
  { session, token, problem, status }: { session: Session; token: string; problem?: string; status?: number },
): Promise<FastifyReply> {
  const path = invitePagePath(token);
  const reader = await context.users.get(session.userId);
  try {
    const found = await context.inviteLinks.getOrWorkspace(callerOfSession(session), token);
    if ('workspaceId' in found) return await showMembership(context, reply, session, found.workspaceId);
    return invitePage(reply, {
      reader,
      invite: found.invite,
      path,
      ...(problem !== undefined && { problem }),
      ...(status && { status }),
    });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    return invalidInvitePage(reply, reader, path);
  }
}

async function showMembership(context: RouteContext, reply: FastifyReply, session: Session, id: string): Promise<FastifyReply> {
  const { language } = await context.users.get(session.userId);
  const { name } = await context.workspaces.get(session.userId, id);
  const member = (await context.workspaceMembers.list(id)).find(({ user_id }) => user_id === session.userId);
  const { permissions } = await context.memberships.require(id, session.userId);
  const path = permissions.includes('blob:read') ? `/console/files?workspace=${id}` : `/console/workspaces/${id}`;
  return joinedPage(reply, language, { name, role: member?.role, path });
}

async function decideInvite(context: RouteContext, request: TokenRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { token } = request.params;
  const session = await sessionOfPage(context, request);
  // The session may have ended while the page was open.
  if (!session) return reply.header('Cache-Control', 'no-store').redirect(invitePagePath(token), 303);
  try {
    assertFormOrigin(context, request);
    // Another user may have signed in in another tab. That user must see the page first.
    if (fieldOf(request.body, READER_FIELD) !== session.userId) return await showToOtherUser(context, reply, session, token);
    return reply.header('Cache-Control', 'no-store').redirect(await decide(context, request, session), 303);
  } catch (error) {
    const { language } = await context.users.get(session.userId);
    const { status, text } = describeProblem(context, request, language, error);
    return showInviteTo(context, reply, { session, token, problem: text, status });
  }
}

async function showToOtherUser(
  context: RouteContext,
  reply: FastifyReply,
  session: Session,
  token: string,
): Promise<FastifyReply> {
  const { language } = await context.users.get(session.userId);
  const problem = WORKSPACE_INVITE_TEXTS[language].problems.otherUser;
  return showInviteTo(context, reply, { session, token, problem, status: 409 });
}

/** @returns the path of the page that follows. */
async function decide({ inviteLinks }: RouteContext, request: TokenRequest, session: Session): Promise<string> {
  const { token } = request.params;
  const caller = callerOfSession(session);
  const decision = fieldOf(request.body, 'decision');
  if (decision === 'accept') return `${PATH}/joined/${await inviteLinks.accept(caller, token)}`;
  if (decision !== 'decline') return invitePagePath(token);
  await inviteLinks.decline(caller, token);
  return `${PATH}/declined`;
}

function describeProblem(
  context: RouteContext,
  request: TokenRequest,
  language: UserRecord['language'],
  error: unknown,
): { status: number; text: string } {
  const { problems, invalidIntro } = WORKSPACE_INVITE_TEXTS[language];
  if (error instanceof BlobError && error.code === 'VALIDATION_ERROR') {
    if (error.path === 'workspace_invites_enabled') return { status: error.status, text: problems.invitesOff };
    if (error.path === 'workspace_id') return { status: error.status, text: problems.full };
  }
  const url = `${context.baseUrl(request)}${invitePagePath(request.params.token)}`;
  return problemOf(error, { texts: textsIn(language), linkText: invalidIntro, url, sent: { password: '' } });
}
