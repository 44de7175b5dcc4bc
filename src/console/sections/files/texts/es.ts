import type { FilesTexts } from './files-texts.js';

export const es: FilesTexts = {
  title: 'Archivos',
  root: 'Archivos',
  path: 'Ruta de la carpeta',
  refresh: 'Actualizar',
  columns: { name: 'Nombre', size: 'Tamaño', type: 'Tipo', updated: 'Modificado' },
  folder: 'Carpeta',
  visibility: { public: 'Público', private: 'Privado' },
  loaded: (folders, files) => `Carpetas cargadas: ${folders}. Archivos cargados: ${files}.`,
  empty: { title: 'Esta carpeta está vacía', text: 'Sube archivos o crea una carpeta.' },
  emptyReadOnly: { title: 'Esta carpeta está vacía', text: 'Los archivos aparecen aquí cuando alguien los sube.' },
  open: 'Abrir',
  download: 'Descargar',
};
