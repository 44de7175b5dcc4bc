import { describe, expect, it } from 'vitest';
import { findForbiddenImports, LAYERS } from '../../scripts/checks/imports.js';

/** Writes a specifier of a file of the repository, as a file of a folder imports it. */
const specifier = (folder: string, target: string): string => '../'.repeat(folder.split('/').length) + target;

describe('the check of imports', () => {
  it.each(LAYERS.map(({ path }) => path))('refuses in %s an import of the tests', (folder) => {
    const target = specifier(folder, 'test/service/support.js');
    const imports = [
      `import { TestService } from '${target}';`,
      `import type {\n  TestService,\n} from '${target}';`,
      `export type * from '${target}';`,
      `const loaded = await import('${target}');`,
      `let service: import('${target}').TestService;`,
      `new Worker(new URL('${target}', import.meta.url));`,
    ];
    const found = imports.map((text) => findForbiddenImports(`${folder}/example.ts`, text));
    expect(found).toEqual(imports.map(() => [expect.stringContaining('imports test/service/support.ts')]));
  });

  it.each([
    ['src/protocol', 'src/queue/types.js'],
    ['src/console', 'src/queue/types.js'],
    ['src/element', 'src/console/api/api.js'],
    ['server/service/identity', 'server/service/storage/types.js'],
    ['server/service/storage', 'server/service/rest/context.js'],
    ['server/service/http', 'server/service/s3/service.js'],
    ['server/service/s3', 'server/service/drivers/bytes/driver.js'],
    ['server/service/s3', 'server/service/rest/context.js'],
    ['server/service/rest', 'server/service/drivers/metadata/metadata.js'],
  ])('refuses in %s a type of %s', (folder, target) => {
    const found = findForbiddenImports(`${folder}/example.ts`, `import type { A } from '${specifier(folder, target)}';`);
    expect(found).toEqual([expect.stringContaining(`imports ${target.replace('.js', '.ts')}`)]);
  });

  it('refuses a package that a layer does not list', () => {
    const found = findForbiddenImports('src/protocol/example.ts', "import { readFile } from 'node:fs/promises';");
    expect(found).toEqual([expect.stringContaining('imports the package node:fs')]);
  });

  it('refuses a folder without a layer', () => {
    expect(findForbiddenImports('src/unknown/example.ts', '')).toEqual([expect.stringContaining('belongs to no layer')]);
  });
});
