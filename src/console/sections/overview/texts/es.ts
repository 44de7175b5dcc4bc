import type { OverviewTexts } from './overview-texts.js';

export const es: OverviewTexts = {
  title: 'Resumen',
  period: 'Últimos 30 días, en UTC',
  refresh: 'Actualizar',
  files: (count, shown) => (count === 1 ? '1 archivo' : `${shown} archivos`),
  empty: {
    title: 'Aún no hay nada que mostrar',
    text: 'Las estadísticas aparecen aquí después de subir el primer archivo.',
    action: 'Ir a los archivos',
  },
  emptyReadOnly: {
    title: 'Aún no hay nada que mostrar',
    text: 'Las estadísticas aparecen aquí cuando alguien sube el primer archivo.',
  },
  figures: { storage: 'Almacenamiento', files: 'Archivos', requests: 'Solicitudes', traffic: 'Tráfico', errors: 'Errores' },
  quota: (used, total) => `${used} de ${total} en uso`,
  noQuota: 'No hay límite definido',
  publicFiles: (shown) => `${shown} de ellos públicos`,
  perDay: (shown) => `${shown} al día de media`,
  errorShare: (shown) => `${shown} de todas las solicitudes`,
  inOut: (received, sent) => `${received} recibidos, ${sent} enviados`,
  chart: {
    hint: (title) => `${title}: gráfico de 30 días. Las flechas del teclado muestran los valores de un día.`,
    table: 'Mostrar como tabla',
    day: 'Día',
    storage: 'Bytes almacenados',
    files: 'Archivos',
    requests: 'Solicitudes',
    errors: 'Errores',
    traffic: 'Tráfico',
    received: 'Recibido',
    sent: 'Enviado',
    uploads: 'Subidas',
    failedUploads: 'Subidas fallidas',
  },
  folders: {
    title: 'Carpetas más grandes',
    outside: 'Archivos fuera de carpetas',
    types: 'Tipos más grandes',
    computing: 'Contando los archivos…',
    computedAt: (time) => `Actualizado el ${time}`,
    none: 'No hay archivos.',
  },
  attention: {
    title: 'Requiere atención',
    none: 'Nada requiere tu atención.',
    show: 'Mostrar',
    pendingDomain: (host) => ({
      title: `El dominio ${host} aún no tiene registro DNS`,
      advice: 'Crea su registro TXT. Hasta entonces, el dominio no sirve archivos.',
    }),
    suspendedDomain: (host) => ({
      title: `Falta el registro DNS de ${host}`,
      advice: 'Crea de nuevo su registro TXT. Hasta entonces, el dominio no sirve archivos.',
    }),
    suspendedWebhook: (host) => `El webhook hacia ${host} está suspendido`,
    suspendedReasons: {
      failing: 'Ninguna entrega tuvo éxito en cinco días. Corrige el destino y activa el webhook.',
      gone: 'El destino respondió con 410. Elimina el webhook o cambia su dirección.',
      backlog: 'Había demasiadas entregas en espera. Revisa el destino y activa el webhook.',
      permission: 'Quien lo creó ya no puede leer archivos. Créalo de nuevo.',
    },
    unusedKey: (name) => ({
      title: `La clave de API “${name}” no se usó en 90 días`,
      advice: 'Revócala si ningún programa la necesita.',
    }),
    failedUploads: (count, shown) => ({
      title: count === 1 ? '1 subida falló en los últimos 7 días' : `${shown} subidas fallaron en los últimos 7 días`,
      advice: 'Se rechazaron o se interrumpieron. El registro de tu servicio indica los motivos.',
    }),
    nearlyFull: {
      title: 'El almacenamiento está casi lleno',
      advice: 'Elimina archivos o pide más espacio a un administrador.',
    },
    full: { title: 'El almacenamiento está lleno', advice: 'Las subidas fallan hasta que elimines archivos.' },
  },
};
