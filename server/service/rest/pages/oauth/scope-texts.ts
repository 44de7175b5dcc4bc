import type { Scope } from '../../../identity/scopes.js';
import type { Language } from '../../../identity/users/user-fields.js';

/** The part of a scope before the colon. */
export type ScopeGroup = 'apps' | 'databases' | 'snapshots' | 'account' | 'workspaces' | 'billing' | 'redeem' | 'blob';

export const groupOf = (scope: Scope): ScopeGroup => scope.split(':')[0] as ScopeGroup;

interface ScopeTexts {
  groups: Record<ScopeGroup, string>;
  scopes: Record<Scope, string>;
}

/** The scopes in plain words: each is something that the application may do. */
export const SCOPE_TEXTS: Record<Language, ScopeTexts> = {
  'en-us': {
    groups: {
      apps: 'Applications',
      databases: 'Databases',
      snapshots: 'Snapshots',
      account: 'Profile',
      workspaces: 'Workspaces',
      billing: 'Billing',
      redeem: 'Promo codes',
      blob: 'Files',
    },
    scopes: {
      'apps:read': 'See your applications and their status',
      'apps:write': 'Create and change applications, start and stop them',
      'apps:delete': 'Delete applications',
      'apps:envs': 'See and change environment variables, which may contain secrets',
      'apps:files': 'See and change the files of applications',
      'databases:read': 'See your databases and their status',
      'databases:write': 'Create and change databases, start and stop them',
      'databases:delete': 'Delete databases',
      'databases:credentials': 'See and renew the passwords of databases',
      'snapshots:read': 'See and download snapshots',
      'snapshots:write': 'Create and restore snapshots',
      'account:read': 'See your profile, your email and your sessions',
      'account:write': 'Change your profile, your folders and your favorites',
      'workspaces:read': 'See your workspaces and their members',
      'workspaces:write': 'Change workspaces, roles and members',
      'workspaces:delete': 'Delete workspaces',
      'workspaces:invites': 'See, accept and delete invites to workspaces',
      'billing:read': 'See your orders and billing details',
      'billing:write': 'Order plans and create payments',
      'redeem:write': 'Redeem promo codes',
      'blob:read': 'See and download your files',
      'blob:write': 'Upload, change and delete your files',
    },
  },
  'pt-br': {
    groups: {
      apps: 'Aplicações',
      databases: 'Bancos de dados',
      snapshots: 'Snapshots',
      account: 'Perfil',
      workspaces: 'Workspaces',
      billing: 'Cobrança',
      redeem: 'Códigos promocionais',
      blob: 'Arquivos',
    },
    scopes: {
      'apps:read': 'Ver suas aplicações e o estado delas',
      'apps:write': 'Criar e alterar aplicações, iniciá-las e pará-las',
      'apps:delete': 'Excluir aplicações',
      'apps:envs': 'Ver e alterar variáveis de ambiente, que podem conter segredos',
      'apps:files': 'Ver e alterar os arquivos das aplicações',
      'databases:read': 'Ver seus bancos de dados e o estado deles',
      'databases:write': 'Criar e alterar bancos de dados, iniciá-los e pará-los',
      'databases:delete': 'Excluir bancos de dados',
      'databases:credentials': 'Ver e renovar as senhas dos bancos de dados',
      'snapshots:read': 'Ver e baixar snapshots',
      'snapshots:write': 'Criar e restaurar snapshots',
      'account:read': 'Ver seu perfil, seu e-mail e suas sessões',
      'account:write': 'Alterar seu perfil, suas pastas e favoritos',
      'workspaces:read': 'Ver seus workspaces e os membros deles',
      'workspaces:write': 'Alterar workspaces, cargos e membros',
      'workspaces:delete': 'Excluir workspaces',
      'workspaces:invites': 'Ver, aceitar e excluir convites para workspaces',
      'billing:read': 'Ver seus pedidos e dados de cobrança',
      'billing:write': 'Contratar planos e gerar pagamentos',
      'redeem:write': 'Resgatar códigos promocionais',
      'blob:read': 'Ver e baixar seus arquivos',
      'blob:write': 'Enviar, alterar e excluir seus arquivos',
    },
  },
  'es-es': {
    groups: {
      apps: 'Aplicaciones',
      databases: 'Bases de datos',
      snapshots: 'Instantáneas',
      account: 'Perfil',
      workspaces: 'Espacios de trabajo',
      billing: 'Facturación',
      redeem: 'Códigos promocionales',
      blob: 'Archivos',
    },
    scopes: {
      'apps:read': 'Ver tus aplicaciones y su estado',
      'apps:write': 'Crear y modificar aplicaciones, iniciarlas y detenerlas',
      'apps:delete': 'Eliminar aplicaciones',
      'apps:envs': 'Ver y modificar variables de entorno, que pueden contener secretos',
      'apps:files': 'Ver y modificar los archivos de las aplicaciones',
      'databases:read': 'Ver tus bases de datos y su estado',
      'databases:write': 'Crear y modificar bases de datos, iniciarlas y detenerlas',
      'databases:delete': 'Eliminar bases de datos',
      'databases:credentials': 'Ver y renovar las contraseñas de las bases de datos',
      'snapshots:read': 'Ver y descargar instantáneas',
      'snapshots:write': 'Crear y restaurar instantáneas',
      'account:read': 'Ver tu perfil, tu correo electrónico y tus sesiones',
      'account:write': 'Modificar tu perfil, tus carpetas y favoritos',
      'workspaces:read': 'Ver tus espacios de trabajo y sus miembros',
      'workspaces:write': 'Modificar espacios de trabajo, roles y miembros',
      'workspaces:delete': 'Eliminar espacios de trabajo',
      'workspaces:invites': 'Ver, aceptar y eliminar invitaciones a espacios de trabajo',
      'billing:read': 'Ver tus pedidos y datos de facturación',
      'billing:write': 'Contratar planes y crear pagos',
      'redeem:write': 'Canjear códigos promocionales',
      'blob:read': 'Ver y descargar tus archivos',
      'blob:write': 'Subir, modificar y eliminar tus archivos',
    },
  },
};
