import type { ConsoleTexts } from './console-texts.js';

export const es: ConsoleTexts = {
  product: 'Blob Storage',
  navigation: 'Navegación principal',
  openNavigation: 'Abrir la navegación',
  close: 'Cerrar',
  cancel: 'Cancelar',
  retry: 'Intentar de nuevo',
  refresh: 'Actualizar',
  copy: 'Copiar',
  copied: 'Copiado',
  more: 'Más acciones',
  loading: 'Cargando…',
  skipToContent: 'Ir al contenido',
  sections: {
    files: 'Archivos',
    overview: 'Resumen',
    access: 'Acceso',
    sharing: 'Compartir',
    workspaces: 'Workspaces',
    profile: 'Perfil',
  },
  workspace: {
    label: 'Almacenamiento',
    own: 'Mi almacenamiento',
    readOnly: 'Solo lectura',
    readOnlyReason:
      'Tu rol en este espacio de trabajo puede leer archivos, pero no cambiarlos. Pide al propietario el permiso blob:manage.',
    noAccess: {
      title: 'No puedes ver este almacenamiento',
      text: 'Tu rol en este espacio de trabajo no tiene el permiso blob:read. Pídelo al propietario.',
    },
    unknown: {
      title: 'Este espacio de trabajo no existe',
      text: 'Se ha eliminado o ya no eres miembro. Elige otro almacenamiento.',
    },
  },
  account: {
    menu: 'Cuenta',
    signOut: 'Cerrar sesión',
    theme: 'Apariencia',
    themes: { system: 'Como el sistema', light: 'Clara', dark: 'Oscura' },
    help: 'Atajos de teclado',
    reference: 'Referencia de la API',
  },
  quota: {
    used: (used, total) => `${used} de ${total} en uso`,
    usedUnlimited: (used) => `${used} en uso`,
    nearlyFull: 'Tu almacenamiento está casi lleno. Elimina archivos o pide más espacio a un administrador.',
    full: 'Tu almacenamiento está lleno. Las subidas fallan hasta que elimines archivos.',
  },
  offline: 'Estás sin conexión. Lo que ves puede no estar al día.',
  notFound: {
    title: 'Esta página no existe',
    text: 'Revisa la dirección o continúa con tus archivos.',
    action: 'Ir a los archivos',
  },
  loadFailed: { title: 'No se ha podido cargar esta página', text: 'Revisa tu conexión e inténtalo de nuevo.' },
  help: {
    title: 'Atajos de teclado',
    general: 'En todas partes',
    keys: { help: 'Mostrar esta ayuda', search: 'Buscar', close: 'Cerrar un diálogo o un menú' },
    table: 'En una lista',
    tableKeys: {
      move: 'Moverse arriba y abajo',
      ends: 'Ir a la primera o la última fila',
      open: 'Abrir',
      select: 'Seleccionar',
      range: 'Ampliar la selección',
      all: 'Seleccionar todas las filas cargadas',
      menu: 'Abrir las acciones de una fila',
    },
  },
  confirm: { typeName: (name) => `Escribe «${name}» para confirmar.` },
  table: {
    selectAll: 'Seleccionar todas las filas cargadas',
    selectRow: (name) => `Seleccionar ${name}`,
    actionsOf: (name) => `Acciones de ${name}`,
  },
  errors: {
    network: { title: 'No se puede acceder al servicio', advice: 'Revisa tu conexión e inténtalo de nuevo.' },
    busy: { title: 'El servicio está ocupado', advice: 'Espera unos segundos e inténtalo de nuevo.' },
    rate: {
      title: 'Demasiadas solicitudes',
      advice: (seconds) => (seconds === 1 ? 'Inténtalo de nuevo en 1 segundo.' : `Inténtalo de nuevo en ${seconds} segundos.`),
    },
    denied: { title: 'No puedes hacer esto', advice: 'Pide el permiso al propietario del espacio de trabajo.' },
    missing: { title: 'Esto ya no existe', advice: 'Puede que alguien lo haya eliminado o movido. Actualiza la página.' },
    full: { title: 'El almacenamiento está lleno', advice: 'Elimina archivos o pide más espacio a un administrador.' },
    failed: {
      title: 'El servicio ha fallado',
      advice: (requestId) =>
        requestId === ''
          ? 'Inténtalo de nuevo. Si vuelve a pasar, avisa a un administrador.'
          : `Inténtalo de nuevo. Si vuelve a pasar, indica a un administrador este id de solicitud: ${requestId}`,
    },
    other: { title: 'No ha funcionado' },
  },
};
