import type { FilesTexts } from './files-texts.js';

export const ptBr: FilesTexts = {
  title: 'Arquivos',
  root: 'Arquivos',
  path: 'Caminho da pasta',
  refresh: 'Atualizar',
  columns: { name: 'Nome', size: 'Tamanho', type: 'Tipo', updated: 'Alterado' },
  folder: 'Pasta',
  visibility: { public: 'Público', private: 'Privado' },
  loaded: (folders, files) => `Pastas carregadas: ${folders}. Arquivos carregados: ${files}.`,
  empty: { title: 'Esta pasta está vazia', text: 'Envie arquivos ou crie uma pasta.' },
  emptyReadOnly: { title: 'Esta pasta está vazia', text: 'Os arquivos aparecem aqui quando alguém os envia.' },
  open: 'Abrir',
  download: 'Baixar',
};
