import type { ScopeGroup, ScopeTexts } from '../../../../../src/protocol/scopes/scopes.js';
import { scopeTexts as en } from '../../../../../src/protocol/scopes/texts-en.js';
import { scopeTexts as es } from '../../../../../src/protocol/scopes/texts-es.js';
import { scopeTexts as ptBr } from '../../../../../src/protocol/scopes/texts-pt-br.js';
import type { Scope } from '../../../identity/scopes.js';
import type { Language } from '../../../identity/users/user-fields.js';

export const groupOf = (scope: Scope): ScopeGroup => scope.split(':')[0] as ScopeGroup;

/** The scopes in plain words: each is something that the application may do. */
export const SCOPE_TEXTS: Record<Language, ScopeTexts> = { 'en-us': en, 'pt-br': ptBr, 'es-es': es };
