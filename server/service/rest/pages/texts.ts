import type { FastifyRequest } from 'fastify';
import type { Language } from '../../identity/users/user-fields.js';

/** Texts of the pages for set-up, sign-in and invitations. */
export interface PageTexts {
  name: string;
  email: string;
  password: string;
  passwordHint: string;
  code: string;
  codeHint: string;
  createAccount: string;
  signIn: string;
  signInIntro: string;
  forgotPassword: string;
  signedIn: string;
  continueTo: string;
  /** The button to the console. */
  openConsole: string;
  consoleScript: string;
  signOut: string;
  setup: string;
  setupIntro: string;
  invitation: string;
  invitationIntro: string;
  toAccount: string;
  /** Errors that concern no field. */
  errors: Record<'missing' | 'origin' | 'busy' | 'failed', { title: string; text: string }>;
  problems: {
    credentials: string;
    email: string;
    emailTaken: string;
    name: string;
    passwordShort: string;
    passwordLong: string;
    passwordCommon: string;
    setupLink: string;
    invitationLink: string;
    tooManyAttempts(minutes: number): string;
    busy: string;
    origin(url: string): string;
    insecure: string;
  };
}

const EN: PageTexts = {
  name: 'Name',
  email: 'Email',
  password: 'Password',
  passwordHint: 'At least 8 characters. Several unrelated words work well.',
  code: 'Code from your link',
  codeHint: 'Copy the part of the link after #.',
  createAccount: 'Create account',
  signIn: 'Sign in',
  signInIntro: 'Enter the email and password of your account.',
  forgotPassword: 'Forgot your password? Ask an administrator of this service to reset it.',
  signedIn: 'You’re signed in',
  continueTo: 'Continue',
  openConsole: 'Open the console',
  consoleScript: 'The console needs JavaScript. Turn it on in your browser, then load this page again.',
  signOut: 'Sign out',
  setup: 'Create the first administrator',
  setupIntro: 'With this account, you can invite other users. It also gets the files and keys that already exist.',
  invitation: 'Accept your invitation',
  invitationIntro: 'Choose a name and a password. You’ll sign in with the email address of the invitation.',
  toAccount: 'Go to your account',
  errors: {
    missing: { title: 'This page isn’t available', text: 'The link is incomplete or is no longer needed.' },
    origin: {
      title: 'This form couldn’t be accepted',
      text: 'It was sent from another address. Open the page on this service and try again.',
    },
    busy: { title: 'The service is busy', text: 'Wait a minute, then try again.' },
    failed: {
      title: 'Something went wrong',
      text: 'Go back and try again. If it happens again, tell an administrator of this service.',
    },
  },
  problems: {
    credentials: 'The email or the password isn’t correct. Check both and try again.',
    email: 'Enter an email address such as ana@example.org.',
    emailTaken: 'This email already belongs to a user. Sign in instead.',
    name: 'Enter a name with at most 100 characters.',
    passwordShort: 'This password is too short. Use at least 8 characters.',
    passwordLong: 'This password is too long. Use at most 256 characters.',
    passwordCommon: 'Many people use this password, so it’s easy to guess. Combine several unrelated words.',
    setupLink:
      'This code isn’t valid. It was used or replaced, or it is older than 30 minutes. Restart the service to get a new link.',
    invitationLink:
      'This code isn’t valid. It was used or replaced, or it has expired. Ask an administrator for a new invitation.',
    tooManyAttempts: (minutes) => `Too many attempts. Wait ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}, then try again.`,
    busy: 'The service is busy. Wait a few seconds, then try again.',
    origin: (url) => `This form was sent from another address. Open ${url} and try again.`,
    insecure:
      'This connection isn’t secure, so others could read your password. Open this page with https, or at http://localhost on the computer that runs the service.',
  },
};

const PT: PageTexts = {
  name: 'Nome',
  email: 'E-mail',
  password: 'Senha',
  passwordHint: 'Pelo menos 8 caracteres. Várias palavras sem relação entre si funcionam bem.',
  code: 'Código do seu link',
  codeHint: 'Copie a parte do link depois de #.',
  createAccount: 'Criar conta',
  signIn: 'Entrar',
  signInIntro: 'Digite o e-mail e a senha da sua conta.',
  forgotPassword: 'Esqueceu a senha? Peça a um administrador deste serviço para redefini-la.',
  signedIn: 'Você entrou',
  continueTo: 'Continuar',
  openConsole: 'Abrir o console',
  consoleScript: 'O console precisa de JavaScript. Ative-o no navegador e carregue esta página de novo.',
  signOut: 'Sair',
  setup: 'Crie a primeira conta de administrador',
  setupIntro: 'Com esta conta, você pode convidar outros usuários. Ela também recebe os arquivos e as chaves que já existem.',
  invitation: 'Aceite seu convite',
  invitationIntro: 'Escolha um nome e uma senha. Você vai entrar com o e-mail do convite.',
  toAccount: 'Ir para sua conta',
  errors: {
    missing: { title: 'Esta página não está disponível', text: 'O link está incompleto ou não é mais necessário.' },
    origin: {
      title: 'Não foi possível aceitar este formulário',
      text: 'Ele foi enviado de outro endereço. Abra a página neste serviço e tente de novo.',
    },
    busy: { title: 'O serviço está ocupado', text: 'Espere um minuto e tente de novo.' },
    failed: {
      title: 'Algo deu errado',
      text: 'Volte e tente de novo. Se acontecer outra vez, avise um administrador deste serviço.',
    },
  },
  problems: {
    credentials: 'E-mail ou senha incorretos. Confira os dois e tente de novo.',
    email: 'Digite um e-mail como ana@example.org.',
    emailTaken: 'Este e-mail já pertence a um usuário. Entre com ele.',
    name: 'Digite um nome com no máximo 100 caracteres.',
    passwordShort: 'Esta senha é curta demais. Use pelo menos 8 caracteres.',
    passwordLong: 'Esta senha é longa demais. Use no máximo 256 caracteres.',
    passwordCommon:
      'Muitas pessoas usam esta senha, por isso é fácil de adivinhar. Combine várias palavras sem relação entre si.',
    setupLink:
      'Este código não é válido. Ele já foi usado, foi substituído ou tem mais de 30 minutos. Reinicie o serviço para obter um novo link.',
    invitationLink:
      'Este código não é válido. Ele já foi usado, foi substituído ou expirou. Peça um novo convite a um administrador.',
    tooManyAttempts: (minutes) => `Tentativas demais. Espere ${minutes} ${minutes === 1 ? 'minuto' : 'minutos'} e tente de novo.`,
    busy: 'O serviço está ocupado. Espere alguns segundos e tente de novo.',
    origin: (url) => `Este formulário foi enviado de outro endereço. Abra ${url} e tente de novo.`,
    insecure:
      'Esta conexão não é segura, e outras pessoas poderiam ler sua senha. Abra esta página com https, ou em http://localhost no computador do serviço.',
  },
};

const ES: PageTexts = {
  name: 'Nombre',
  email: 'Correo electrónico',
  password: 'Contraseña',
  passwordHint: 'Al menos 8 caracteres. Varias palabras sin relación entre sí funcionan bien.',
  code: 'Código de tu enlace',
  codeHint: 'Copia la parte del enlace después de #.',
  createAccount: 'Crear cuenta',
  signIn: 'Iniciar sesión',
  signInIntro: 'Introduce el correo y la contraseña de tu cuenta.',
  forgotPassword: '¿Has olvidado tu contraseña? Pide a un administrador de este servicio que la restablezca.',
  signedIn: 'Has iniciado sesión',
  continueTo: 'Continuar',
  openConsole: 'Abrir la consola',
  consoleScript: 'La consola necesita JavaScript. Actívalo en tu navegador y vuelve a cargar esta página.',
  signOut: 'Cerrar sesión',
  setup: 'Crea la primera cuenta de administrador',
  setupIntro: 'Con esta cuenta puedes invitar a otros usuarios. También recibe los archivos y las claves que ya existen.',
  invitation: 'Acepta tu invitación',
  invitationIntro: 'Elige un nombre y una contraseña. Iniciarás sesión con el correo de la invitación.',
  toAccount: 'Ir a tu cuenta',
  errors: {
    missing: { title: 'Esta página no está disponible', text: 'El enlace está incompleto o ya no se necesita.' },
    origin: {
      title: 'No se ha podido aceptar este formulario',
      text: 'Se ha enviado desde otra dirección. Abre la página en este servicio e inténtalo de nuevo.',
    },
    busy: { title: 'El servicio está ocupado', text: 'Espera un minuto e inténtalo de nuevo.' },
    failed: {
      title: 'Algo ha fallado',
      text: 'Vuelve atrás e inténtalo de nuevo. Si vuelve a pasar, avisa a un administrador de este servicio.',
    },
  },
  problems: {
    credentials: 'Correo o contraseña incorrectos. Revisa los dos e inténtalo de nuevo.',
    email: 'Introduce un correo como ana@example.org.',
    emailTaken: 'Este correo ya pertenece a un usuario. Inicia sesión con él.',
    name: 'Introduce un nombre de 100 caracteres como máximo.',
    passwordShort: 'Esta contraseña es demasiado corta. Usa al menos 8 caracteres.',
    passwordLong: 'Esta contraseña es demasiado larga. Usa como máximo 256 caracteres.',
    passwordCommon:
      'Mucha gente usa esta contraseña, así que es fácil de adivinar. Combina varias palabras sin relación entre sí.',
    setupLink:
      'Este código no es válido. Ya se ha usado, se ha reemplazado o tiene más de 30 minutos. Reinicia el servicio para obtener un enlace nuevo.',
    invitationLink:
      'Este código no es válido. Ya se ha usado, se ha reemplazado o ha caducado. Pide una invitación nueva a un administrador.',
    tooManyAttempts: (minutes) =>
      `Demasiados intentos. Espera ${minutes} ${minutes === 1 ? 'minuto' : 'minutos'} e inténtalo de nuevo.`,
    busy: 'El servicio está ocupado. Espera unos segundos e inténtalo de nuevo.',
    origin: (url) => `Este formulario se ha enviado desde otra dirección. Abre ${url} e inténtalo de nuevo.`,
    insecure:
      'Esta conexión no es segura, y otras personas podrían leer tu contraseña. Abre esta página con https, o en http://localhost en el equipo del servicio.',
  },
};

const TEXTS: Record<Language, PageTexts> = { 'en-us': EN, 'pt-br': PT, 'es-es': ES };

export const textsIn = (language: Language): PageTexts => TEXTS[language];

/** Chooses the language of a page by `Accept-Language`. @see https://www.rfc-editor.org/rfc/rfc9110#section-12.5.4 */
export function preferredLanguage(acceptLanguage: string | undefined): Language {
  const ranges = (acceptLanguage ?? '')
    .slice(0, 500)
    .split(',')
    .map((range) => {
      const [tag = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
      const quality = parameters.find((parameter) => parameter.startsWith('q='));
      return { tag, quality: quality === undefined ? 1 : Number(quality.slice(2)) };
    })
    .filter(({ quality }) => quality > 0)
    .sort((a, b) => b.quality - a.quality);
  for (const { tag } of ranges)
    for (const language of Object.keys(TEXTS) as Language[]) if (tag.split('-')[0] === language.split('-')[0]) return language;
  return 'en-us';
}

/** Chooses the language of a page for a reader who may have no profile. */
export const languageOf = ({ headers }: FastifyRequest): Language => preferredLanguage(headers['accept-language']);
