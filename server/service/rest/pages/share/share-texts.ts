import type { Language } from '../../../identity/users/user-fields.js';

/** Texts of the pages of shares. */
export interface ShareTexts {
  name: string;
  size: string;
  date: string;
  path: string;
  download: string;
  downloadAll: string;
  open: string;
  noPreview: string;
  truncated: string;
  empty: string;
  nextPage: string;
  firstPage: string;
  tooLargeToSort: string;
  limited(downloads: number): string;
  password: string;
  passwordTitle: string;
  passwordIntro: string;
  unlock: string;
  wrongPassword: string;
  tooMany(minutes: number): string;
  uploadTitle: string;
  uploadIntro: string;
  uploadLabel: string;
  uploadScript: string;
  ended: Record<
    'missing' | 'expired' | 'used up' | 'file' | 'unscanned' | 'infected' | 'many' | 'address' | 'other',
    readonly [title: string, text: string]
  >;
}

const EN: ShareTexts = {
  name: 'Name',
  size: 'Size',
  date: 'Changed',
  path: 'Folders',
  download: 'Download',
  downloadAll: 'Download everything',
  open: 'Open in a new tab',
  noPreview: 'There is no preview of this file.',
  truncated: 'The preview shows the start of the file.',
  empty: 'This folder is empty.',
  nextPage: 'Next page',
  firstPage: 'First page',
  tooLargeToSort: 'This folder has too many files for this order. They are listed by name.',
  limited: (downloads) => (downloads === 1 ? 'One download is left.' : `${downloads} downloads are left.`),
  password: 'Password',
  passwordTitle: 'This link needs a password',
  passwordIntro: 'Enter the password that you received with the link.',
  unlock: 'Continue',
  wrongPassword: 'The password isn’t correct. Check it and try again.',
  uploadTitle: 'Upload files',
  uploadIntro: 'Your files go to the person who sent you this link. You can close the page when the files are uploaded.',
  uploadLabel: 'Files',
  uploadScript: 'Turn JavaScript on to upload files.',
  tooMany: (minutes) => `Too many attempts. Wait ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}, then try again.`,
  ended: {
    missing: ['This link doesn’t work', 'Check that the address is complete. The owner may also have deleted the link.'],
    expired: ['This link has expired', 'Ask the person who sent it for a new one.'],
    'used up': [
      'This link has been used up',
      'It was for a fixed number of files or downloads. Ask the person who sent it for a new one.',
    ],
    file: ['This file is not here', 'The owner may have deleted, moved or renamed it.'],
    unscanned: ['This isn’t available yet', 'It has not been checked for viruses. Try again later.'],
    infected: ['This isn’t available', 'The check for viruses found something. Tell the person who sent you the link.'],
    many: ['This folder is too large for one download', 'Download its subfolders one by one.'],
    address: ['This address isn’t valid', 'Go back and follow the link again.'],
    other: ['Something didn’t work', 'Wait a minute, then try again.'],
  },
};

const PT: ShareTexts = {
  name: 'Nome',
  size: 'Tamanho',
  date: 'Alterado',
  path: 'Pastas',
  download: 'Baixar',
  downloadAll: 'Baixar tudo',
  open: 'Abrir em uma nova aba',
  noPreview: 'Não há prévia deste arquivo.',
  truncated: 'A prévia mostra o início do arquivo.',
  empty: 'Esta pasta está vazia.',
  nextPage: 'Próxima página',
  firstPage: 'Primeira página',
  tooLargeToSort: 'Esta pasta tem arquivos demais para esta ordem. Eles estão listados por nome.',
  limited: (downloads) => (downloads === 1 ? 'Resta um download.' : `Restam ${downloads} downloads.`),
  password: 'Senha',
  passwordTitle: 'Este link precisa de senha',
  passwordIntro: 'Digite a senha que você recebeu com o link.',
  unlock: 'Continuar',
  wrongPassword: 'A senha não está correta. Confira e tente de novo.',
  uploadTitle: 'Enviar arquivos',
  uploadIntro: 'Seus arquivos vão para a pessoa que enviou este link a você. Você pode fechar a página quando o envio terminar.',
  uploadLabel: 'Arquivos',
  uploadScript: 'Ative o JavaScript para enviar arquivos.',
  tooMany: (minutes) => `Tentativas demais. Espere ${minutes} ${minutes === 1 ? 'minuto' : 'minutos'} e tente de novo.`,
  ended: {
    missing: ['Este link não funciona', 'Confira se o endereço está completo. Quem criou o link também pode tê-lo excluído.'],
    expired: ['Este link expirou', 'Peça um novo à pessoa que o enviou.'],
    'used up': [
      'Este link não pode mais ser usado',
      'Ele valia para um número fixo de arquivos ou downloads. Peça um novo à pessoa que o enviou.',
    ],
    file: ['Este arquivo não está aqui', 'Ele pode ter sido excluído, movido ou renomeado.'],
    unscanned: ['Ainda não está disponível', 'A verificação de vírus ainda não foi feita. Tente de novo mais tarde.'],
    infected: ['Não está disponível', 'A verificação de vírus encontrou algo. Avise a pessoa que enviou o link.'],
    many: ['Esta pasta é grande demais para um download', 'Baixe as subpastas uma a uma.'],
    address: ['Este endereço não é válido', 'Volte e siga o link de novo.'],
    other: ['Algo não funcionou', 'Espere um minuto e tente de novo.'],
  },
};

const ES: ShareTexts = {
  name: 'Nombre',
  size: 'Tamaño',
  date: 'Modificado',
  path: 'Carpetas',
  download: 'Descargar',
  downloadAll: 'Descargar todo',
  open: 'Abrir en una pestaña nueva',
  noPreview: 'No hay vista previa de este archivo.',
  truncated: 'La vista previa muestra el comienzo del archivo.',
  empty: 'Esta carpeta está vacía.',
  nextPage: 'Página siguiente',
  firstPage: 'Primera página',
  tooLargeToSort: 'Esta carpeta tiene demasiados archivos para este orden. Se muestran por nombre.',
  limited: (downloads) => (downloads === 1 ? 'Queda una descarga.' : `Quedan ${downloads} descargas.`),
  password: 'Contraseña',
  passwordTitle: 'Este enlace necesita una contraseña',
  passwordIntro: 'Introduce la contraseña que has recibido con el enlace.',
  unlock: 'Continuar',
  wrongPassword: 'La contraseña no es correcta. Revísala e inténtalo de nuevo.',
  uploadTitle: 'Subir archivos',
  uploadIntro:
    'Tus archivos van a la persona que te ha enviado este enlace. Puedes cerrar la página cuando los archivos se hayan subido.',
  uploadLabel: 'Archivos',
  uploadScript: 'Activa JavaScript para subir archivos.',
  tooMany: (minutes) => `Demasiados intentos. Espera ${minutes} ${minutes === 1 ? 'minuto' : 'minutos'} e inténtalo de nuevo.`,
  ended: {
    missing: [
      'Este enlace no funciona',
      'Comprueba que la dirección está completa. Quien creó el enlace también puede haberlo eliminado.',
    ],
    expired: ['Este enlace ha caducado', 'Pide uno nuevo a la persona que lo ha enviado.'],
    'used up': [
      'Este enlace ya no se puede usar',
      'Valía para un número fijo de archivos o descargas. Pide uno nuevo a la persona que lo ha enviado.',
    ],
    file: ['Este archivo no está aquí', 'Puede que se haya eliminado, movido o renombrado.'],
    unscanned: ['Aún no está disponible', 'Todavía no se ha comprobado si contiene virus. Inténtalo de nuevo más tarde.'],
    infected: [
      'No está disponible',
      'La comprobación de virus ha encontrado algo. Avisa a la persona que te ha enviado el enlace.',
    ],
    many: ['Esta carpeta es demasiado grande para una descarga', 'Descarga sus subcarpetas una a una.'],
    address: ['Esta dirección no es válida', 'Vuelve atrás y sigue el enlace de nuevo.'],
    other: ['Algo no ha funcionado', 'Espera un minuto e inténtalo de nuevo.'],
  },
};

const TEXTS: Record<Language, ShareTexts> = { 'en-us': EN, 'pt-br': PT, 'es-es': ES };

export const shareTextsIn = (language: Language): ShareTexts => TEXTS[language];
