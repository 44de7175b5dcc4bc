import { readFileSync } from 'node:fs';
import { BaseSequencer } from 'vitest/node';
import type { TestSpecification } from 'vitest/node';

/**
 * The order of test files: those of a project that begin with `// Starts early: ` and a reason come first. They wait far longer than they compute,
 * and would run alone at the end otherwise.
 */
export class EarlyFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const projects = [...new Set(sorted.map(({ project }) => project))];
    return projects.flatMap((project) => {
      const [early, others] = [true, false].map((wanted) =>
        sorted.filter((file) => file.project === project && isEarly(file) === wanted),
      );
      return [...early!, ...others!];
    });
  }
}

const isEarly = ({ moduleId }: TestSpecification): boolean => readFileSync(moduleId, 'utf8').startsWith('// Starts early: ');
