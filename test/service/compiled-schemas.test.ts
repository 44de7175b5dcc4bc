import { describe, expect, it, vi } from 'vitest';
import { CompiledSchemas } from '../../server/service/rest/compiled-schemas.js';

describe('compiled schemas of several services', () => {
  it('are compiled once if the services created equal schemas', () => {
    const compile = vi.fn((schema: object) => ({ schema }));
    const schemas = new CompiledSchemas(compile);
    const first = schemas.get({ type: 'object', properties: { name: { type: 'string' } } });
    const second = schemas.get({ type: 'object', properties: { name: { type: 'string' } } });
    expect(second).toBe(first);
    expect(compile).toHaveBeenCalledTimes(1);
  });

  it('are compiled separately if they differ', () => {
    const schemas = new CompiledSchemas((schema) => ({ schema }));
    expect(schemas.get({ type: 'string', maxLength: 1 })).not.toBe(schemas.get({ type: 'string', maxLength: 2 }));
  });
});
