import type { OverviewTexts } from './overview-texts.js';

export const ptBr: OverviewTexts = {
  title: 'Visão geral',
  period: 'Últimos 30 dias, em UTC',
  refresh: 'Atualizar',
  files: (count, shown) => (count === 1 ? '1 arquivo' : `${shown} arquivos`),
  empty: {
    title: 'Ainda não há nada para mostrar',
    text: 'As estatísticas aparecem aqui depois do envio do primeiro arquivo.',
    action: 'Ir para os arquivos',
  },
  emptyReadOnly: {
    title: 'Ainda não há nada para mostrar',
    text: 'As estatísticas aparecem aqui depois que alguém envia o primeiro arquivo.',
  },
  figures: { storage: 'Armazenamento', files: 'Arquivos', requests: 'Solicitações', traffic: 'Tráfego', errors: 'Erros' },
  quota: (used, total) => `${used} de ${total} em uso`,
  noQuota: 'Nenhum limite definido',
  publicFiles: (shown) => `${shown} deles públicos`,
  perDay: (shown) => `${shown} por dia, em média`,
  errorShare: (shown) => `${shown} de todas as solicitações`,
  inOut: (received, sent) => `${received} recebidos, ${sent} enviados`,
  chart: {
    hint: (title) => `${title}: gráfico de 30 dias. As setas do teclado mostram os valores de um dia.`,
    table: 'Mostrar como tabela',
    day: 'Dia',
    storage: 'Bytes armazenados',
    files: 'Arquivos',
    requests: 'Solicitações',
    errors: 'Erros',
    traffic: 'Tráfego',
    received: 'Recebido',
    sent: 'Enviado',
    uploads: 'Envios',
    failedUploads: 'Envios que falharam',
  },
  folders: {
    title: 'Maiores pastas',
    outside: 'Arquivos fora de pastas',
    types: 'Maiores tipos',
    computing: 'Contando os arquivos…',
    computedAt: (time) => `Atualizado em ${time}`,
    none: 'Não há arquivos.',
  },
  attention: {
    title: 'Requer atenção',
    none: 'Nada requer sua atenção.',
    show: 'Mostrar',
    pendingDomain: (host) => ({
      title: `O domínio ${host} ainda não tem registro DNS`,
      advice: 'Crie o registro TXT. Até lá, o domínio não serve arquivos.',
    }),
    suspendedDomain: (host) => ({
      title: `Falta o registro DNS de ${host}`,
      advice: 'Crie o registro TXT de novo. Até lá, o domínio não serve arquivos.',
    }),
    suspendedWebhook: (host) => `O webhook para ${host} está suspenso`,
    suspendedReasons: {
      failing: 'Nenhuma entrega teve sucesso por cinco dias. Corrija o destino e ative o webhook.',
      gone: 'O destino respondeu com 410. Exclua o webhook ou altere o endereço.',
      backlog: 'Entregas demais ficaram em espera. Verifique o destino e ative o webhook.',
      permission: 'Quem o criou não pode mais ler arquivos. Crie-o de novo.',
    },
    unusedKey: (name) => ({
      title: `A chave de API “${name}” não foi usada por 90 dias`,
      advice: 'Revogue-a se nenhum programa precisar dela.',
    }),
    failedUploads: (count, shown) => ({
      title: count === 1 ? '1 envio falhou nos últimos 7 dias' : `${shown} envios falharam nos últimos 7 dias`,
      advice: 'Foram recusados ou interrompidos. O log do seu serviço informa os motivos.',
    }),
    nearlyFull: {
      title: 'O armazenamento está quase cheio',
      advice: 'Exclua arquivos ou peça mais espaço a um administrador.',
    },
    full: { title: 'O armazenamento está cheio', advice: 'Os envios falham até que você exclua arquivos.' },
  },
};
