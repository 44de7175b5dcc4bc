import type { Language } from '../../identity/users/user-fields.js';

/** Texts of the page of an invite to a workspace. */
export interface WorkspaceInviteTexts {
  signedOut: string;
  signedOutIntro: string;
  noAccount: string;
  createAccount: string;
  title(workspace: string): string;
  intro: string;
  invitedBy: string;
  role: string;
  permissions(count: number): string;
  signedInAs: string;
  validUntil: string;
  accept: string;
  decline: string;
  otherAccount: string;
  joined(workspace: string): string;
  joinedIntro: string;
  openWorkspace: string;
  declined: string;
  declinedIntro: string;
  invalid: string;
  invalidIntro: string;
  /** For people who are not signed in: the same for all invites that cannot be accepted. */
  ended: string;
  endedIntro: string;
  problems: {
    invitesOff: string;
    full: string;
    /** Another user signed in while the page was open. */
    otherUser: string;
  };
}

const EN: WorkspaceInviteTexts = {
  signedOut: 'You’re invited to a workspace',
  signedOutIntro: 'Sign in to see who invited you and what you can do in the workspace.',
  noAccount: 'No account yet? Ask an administrator of this service to invite you. With that invitation, you can',
  createAccount: 'create an account',
  title: (workspace) => `Join “${workspace}”?`,
  intro: 'Members of the workspace can see your name and your email.',
  invitedBy: 'Invited by',
  role: 'Your role',
  permissions: (count) => (count === 1 ? '1 permission' : `${count} permissions`),
  signedInAs: 'Signed in as',
  validUntil: 'Valid until',
  accept: 'Accept',
  decline: 'Decline',
  otherAccount: 'Use another account',
  joined: (workspace) => `You’re a member of “${workspace}”`,
  joinedIntro: 'You can use the workspace now.',
  openWorkspace: 'Open the workspace',
  declined: 'You declined the invite',
  declinedIntro: 'You can close this page.',
  invalid: 'This invite isn’t valid',
  invalidIntro:
    'It has expired, was used or deleted, or is for another email address. Ask the person who invited you for a new one.',
  ended: 'This invite can’t be accepted any more',
  endedIntro:
    'It was used, has expired or was deleted. If you accepted it, sign in to open the workspace. Otherwise, ask the person who invited you for a new one.',
  problems: {
    invitesOff: 'Your profile doesn’t accept invites to workspaces. Allow them in your profile, then open this link again.',
    full: 'This workspace has no room for another member. Tell the person who invited you.',
    otherUser: 'You’re signed in as another user now. Check the account, then decide again.',
  },
};

const PT: WorkspaceInviteTexts = {
  signedOut: 'Você recebeu um convite para um workspace',
  signedOutIntro: 'Entre para ver quem convidou você e o que você poderá fazer no workspace.',
  noAccount: 'Ainda não tem conta? Peça um convite a um administrador deste serviço. Com ele, você pode',
  createAccount: 'criar uma conta',
  title: (workspace) => `Quer participar de “${workspace}”?`,
  intro: 'Os membros do workspace podem ver seu nome e seu e-mail.',
  invitedBy: 'Convite de',
  role: 'Sua função',
  permissions: (count) => (count === 1 ? '1 permissão' : `${count} permissões`),
  signedInAs: 'Você entrou como',
  validUntil: 'Válido até',
  accept: 'Aceitar',
  decline: 'Recusar',
  otherAccount: 'Usar outra conta',
  joined: (workspace) => `Você é membro de “${workspace}”`,
  joinedIntro: 'Você já pode usar o workspace.',
  openWorkspace: 'Abrir o workspace',
  declined: 'Você recusou o convite',
  declinedIntro: 'Você pode fechar esta página.',
  invalid: 'Este convite não é válido',
  invalidIntro: 'Ele expirou, já foi usado, foi excluído ou é para outro e-mail. Peça um novo a quem convidou você.',
  ended: 'Este convite não pode mais ser aceito',
  endedIntro:
    'Ele já foi usado, expirou ou foi excluído. Se você o aceitou, entre para abrir o workspace. Caso contrário, peça um novo a quem convidou você.',
  problems: {
    invitesOff: 'Seu perfil não aceita convites para workspaces. Permita-os no seu perfil e abra este link de novo.',
    full: 'Este workspace não tem lugar para mais um membro. Avise quem convidou você.',
    otherUser: 'Agora outra conta está conectada. Confira a conta e decida de novo.',
  },
};

const ES: WorkspaceInviteTexts = {
  signedOut: 'Tienes una invitación a un espacio de trabajo',
  signedOutIntro: 'Inicia sesión para ver quién te invita y qué podrás hacer en el espacio de trabajo.',
  noAccount: '¿Todavía no tienes cuenta? Pide una invitación a un administrador de este servicio. Con ella puedes',
  createAccount: 'crear una cuenta',
  title: (workspace) => `¿Quieres unirte a «${workspace}»?`,
  intro: 'Los miembros del espacio de trabajo pueden ver tu nombre y tu correo.',
  invitedBy: 'Te invita',
  role: 'Tu rol',
  permissions: (count) => (count === 1 ? '1 permiso' : `${count} permisos`),
  signedInAs: 'Sesión iniciada como',
  validUntil: 'Válida hasta',
  accept: 'Aceptar',
  decline: 'Rechazar',
  otherAccount: 'Usar otra cuenta',
  joined: (workspace) => `Eres miembro de «${workspace}»`,
  joinedIntro: 'Ya puedes usar el espacio de trabajo.',
  openWorkspace: 'Abrir el espacio de trabajo',
  declined: 'Has rechazado la invitación',
  declinedIntro: 'Puedes cerrar esta página.',
  invalid: 'Esta invitación no es válida',
  invalidIntro: 'Ha caducado, ya se ha usado, se ha eliminado o es para otro correo. Pide una nueva a quien te ha invitado.',
  ended: 'Esta invitación ya no se puede aceptar',
  endedIntro:
    'Ya se ha usado, ha caducado o se ha eliminado. Si la aceptaste, inicia sesión para abrir el espacio de trabajo. Si no, pide una nueva a quien te ha invitado.',
  problems: {
    invitesOff: 'Tu perfil no acepta invitaciones a espacios de trabajo. Permítelas en tu perfil y vuelve a abrir este enlace.',
    full: 'Este espacio de trabajo no admite más miembros. Avisa a quien te ha invitado.',
    otherUser: 'Ahora has iniciado sesión con otra cuenta. Comprueba la cuenta y decide de nuevo.',
  },
};

export const WORKSPACE_INVITE_TEXTS: Record<Language, WorkspaceInviteTexts> = { 'en-us': EN, 'pt-br': PT, 'es-es': ES };
