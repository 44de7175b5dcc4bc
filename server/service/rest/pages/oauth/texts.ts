import type { PersonalReason } from '../../../identity/oauth/oauth-error.js';
import type { Language } from '../../../identity/users/user-fields.js';

/** Texts of the consent page and of the error page. */
export interface OauthTexts {
  title(client: string): string;
  nameIsClaimed: string;
  signedInAs: string;
  returnsTo: string;
  thisComputer: string;
  application(scheme: string): string;
  mayDo: string;
  deselect: string;
  replaceTitle: string;
  replaceText(count: number): string;
  created(date: string): string;
  lastUsed(date: string): string;
  neverUsed: string;
  keyText: string;
  allow: string;
  deny: string;
  missing: Record<'scopes' | 'replacement', string>;
  errorTitle: string;
  errorText: string;
  reasons: Record<PersonalReason, string>;
  details: string;
  returnTo(host: string): string;
}

export const OAUTH_TEXTS: Record<Language, OauthTexts> = {
  'en-us': {
    title: (client) => `Allow “${client}” to use your account?`,
    nameIsClaimed: 'The application chose this name itself. Continue only if you started the connection.',
    signedInAs: 'Signed in as',
    returnsTo: 'Afterwards you return to',
    thisComputer: 'an application on this computer',
    application: (scheme) => `the application for ${scheme} links`,
    mayDo: 'The application will be able to',
    deselect: 'Uncheck what you don’t want to allow.',
    replaceTitle: 'Choose a key to replace',
    replaceText: (count) =>
      `You have ${count} API keys, the maximum. The key that you choose stops working, and so does everything that was created with it.`,
    created: (date) => `created ${date}`,
    lastUsed: (date) => `last used ${date}`,
    neverUsed: 'not used',
    keyText: 'The application receives an API key that doesn’t expire. You can revoke it at any time.',
    allow: 'Allow',
    deny: 'Deny',
    missing: {
      scopes: 'Select at least one permission, or deny the request.',
      replacement: 'Choose the key that the new one replaces.',
    },
    errorTitle: 'This connection can’t continue',
    errorText: 'Go back to the application and start again. If you see this page again, tell the maker of the application.',
    reasons: {
      expired: 'This page has expired or was already used. Go back to the application and start again.',
      'signed-out': 'Your session has ended. Go back to the application and start again.',
    },
    details: 'Details',
    returnTo: (host) => `Return to ${host}`,
  },
  'pt-br': {
    title: (client) => `Permitir que “${client}” use sua conta?`,
    nameIsClaimed: 'O próprio aplicativo escolheu este nome. Continue somente se você iniciou a conexão.',
    signedInAs: 'Você entrou como',
    returnsTo: 'Depois você volta para',
    thisComputer: 'um aplicativo neste computador',
    application: (scheme) => `o aplicativo dos links ${scheme}`,
    mayDo: 'O aplicativo poderá',
    deselect: 'Desmarque o que você não quer permitir.',
    replaceTitle: 'Escolha uma chave para substituir',
    replaceText: (count) =>
      `Você tem ${count} chaves de API, o máximo. A chave que você escolher deixa de funcionar, e tudo o que foi criado com ela também.`,
    created: (date) => `criada em ${date}`,
    lastUsed: (date) => `último uso em ${date}`,
    neverUsed: 'sem uso',
    keyText: 'O aplicativo recebe uma chave de API que não expira. Você pode revogá-la a qualquer momento.',
    allow: 'Permitir',
    deny: 'Recusar',
    missing: {
      scopes: 'Marque pelo menos uma permissão ou recuse o pedido.',
      replacement: 'Escolha a chave que a nova substitui.',
    },
    errorTitle: 'Esta conexão não pode continuar',
    errorText: 'Volte ao aplicativo e comece de novo. Se você vir esta página de novo, avise quem criou o aplicativo.',
    reasons: {
      expired: 'Esta página expirou ou já foi usada. Volte ao aplicativo e comece de novo.',
      'signed-out': 'Sua sessão terminou. Volte ao aplicativo e comece de novo.',
    },
    details: 'Detalhes',
    returnTo: (host) => `Voltar para ${host}`,
  },
  'es-es': {
    title: (client) => `¿Permitir que «${client}» use tu cuenta?`,
    nameIsClaimed: 'La propia aplicación eligió este nombre. Continúa solo si tú iniciaste la conexión.',
    signedInAs: 'Sesión iniciada como',
    returnsTo: 'Después vuelves a',
    thisComputer: 'una aplicación de este equipo',
    application: (scheme) => `la aplicación de los enlaces ${scheme}`,
    mayDo: 'La aplicación podrá',
    deselect: 'Desmarca lo que no quieras permitir.',
    replaceTitle: 'Elige una clave para reemplazar',
    replaceText: (count) =>
      `Tienes ${count} claves de API, el máximo. La clave que elijas deja de funcionar, y también todo lo que se creó con ella.`,
    created: (date) => `creada el ${date}`,
    lastUsed: (date) => `último uso el ${date}`,
    neverUsed: 'sin uso',
    keyText: 'La aplicación recibe una clave de API que no caduca. Puedes revocarla en cualquier momento.',
    allow: 'Permitir',
    deny: 'Denegar',
    missing: {
      scopes: 'Marca al menos un permiso o deniega la solicitud.',
      replacement: 'Elige la clave que la nueva reemplaza.',
    },
    errorTitle: 'Esta conexión no puede continuar',
    errorText: 'Vuelve a la aplicación y empieza de nuevo. Si vuelves a ver esta página, avisa a quien creó la aplicación.',
    reasons: {
      expired: 'Esta página ha caducado o ya se ha usado. Vuelve a la aplicación y empieza de nuevo.',
      'signed-out': 'Tu sesión ha terminado. Vuelve a la aplicación y empieza de nuevo.',
    },
    details: 'Detalles',
    returnTo: (host) => `Volver a ${host}`,
  },
};
