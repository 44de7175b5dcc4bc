import type { ConsoleTexts } from './console-texts.js';

export const ptBr: ConsoleTexts = {
  product: 'Blob Storage',
  navigation: 'Navegação principal',
  openNavigation: 'Abrir a navegação',
  close: 'Fechar',
  cancel: 'Cancelar',
  retry: 'Tentar de novo',
  refresh: 'Atualizar',
  copy: 'Copiar',
  copied: 'Copiado',
  more: 'Mais ações',
  loading: 'Carregando…',
  skipToContent: 'Ir para o conteúdo',
  sections: {
    files: 'Arquivos',
    overview: 'Visão geral',
    access: 'Acesso',
    sharing: 'Compartilhamento',
    workspaces: 'Workspaces',
    profile: 'Perfil',
  },
  workspace: {
    label: 'Armazenamento',
    own: 'Meu armazenamento',
    readOnly: 'Somente leitura',
    readOnlyReason:
      'Sua função neste workspace pode ler arquivos, mas não alterá-los. Peça ao proprietário a permissão blob:manage.',
    noAccess: {
      title: 'Você não pode ver este armazenamento',
      text: 'Sua função neste workspace não tem a permissão blob:read. Peça-a ao proprietário do workspace.',
    },
    unknown: {
      title: 'Este workspace não existe',
      text: 'Ele foi excluído, ou você não é mais membro. Escolha outro armazenamento.',
    },
  },
  account: {
    menu: 'Conta',
    signOut: 'Sair',
    theme: 'Aparência',
    themes: { system: 'Como o sistema', light: 'Clara', dark: 'Escura' },
    help: 'Atalhos do teclado',
    reference: 'Referência da API',
  },
  quota: {
    used: (used, total) => `${used} de ${total} em uso`,
    usedUnlimited: (used) => `${used} em uso`,
    nearlyFull: 'Seu armazenamento está quase cheio. Exclua arquivos ou peça mais espaço a um administrador.',
    full: 'Seu armazenamento está cheio. Os envios falham até que você exclua arquivos.',
  },
  offline: 'Você está offline. O que você vê pode estar desatualizado.',
  notFound: {
    title: 'Esta página não existe',
    text: 'Confira o endereço ou continue com seus arquivos.',
    action: 'Ir para os arquivos',
  },
  loadFailed: { title: 'Não foi possível carregar esta página', text: 'Verifique sua conexão e tente de novo.' },
  help: {
    title: 'Atalhos do teclado',
    general: 'Em qualquer lugar',
    keys: { help: 'Mostrar esta ajuda', search: 'Buscar', close: 'Fechar um diálogo ou um menu' },
    table: 'Em uma lista',
    tableKeys: {
      move: 'Mover para cima e para baixo',
      ends: 'Ir para a primeira ou a última linha',
      open: 'Abrir',
      select: 'Selecionar',
      range: 'Estender a seleção',
      all: 'Selecionar todas as linhas carregadas',
      menu: 'Abrir as ações de uma linha',
    },
  },
  confirm: { typeName: (name) => `Digite “${name}” para confirmar.` },
  table: {
    selectAll: 'Selecionar todas as linhas carregadas',
    selectRow: (name) => `Selecionar ${name}`,
    actionsOf: (name) => `Ações de ${name}`,
  },
  errors: {
    network: { title: 'Não foi possível acessar o serviço', advice: 'Verifique sua conexão e tente de novo.' },
    busy: { title: 'O serviço está ocupado', advice: 'Espere alguns segundos e tente de novo.' },
    rate: {
      title: 'Solicitações demais',
      advice: (seconds) => (seconds === 1 ? 'Tente de novo em 1 segundo.' : `Tente de novo em ${seconds} segundos.`),
    },
    denied: { title: 'Você não pode fazer isto', advice: 'Peça a permissão ao proprietário do workspace.' },
    missing: { title: 'Isto não existe mais', advice: 'Alguém pode ter excluído ou movido o item. Atualize a página.' },
    full: { title: 'O armazenamento está cheio', advice: 'Exclua arquivos ou peça mais espaço a um administrador.' },
    failed: {
      title: 'O serviço falhou',
      advice: (requestId) =>
        requestId === ''
          ? 'Tente de novo. Se acontecer outra vez, avise um administrador.'
          : `Tente de novo. Se acontecer outra vez, informe a um administrador este id da solicitação: ${requestId}`,
    },
    other: { title: 'Não funcionou' },
  },
};
