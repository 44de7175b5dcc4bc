import { BaseSequencer } from 'vitest/node';
import type { TestSpecification } from 'vitest/node';
import { hasMark } from './file-marks.js';

/**
 * The order of test files: those of a project that begin with `// Starts early: ` and a reason come first. They wait far longer than they compute,
 * and would run alone at the end otherwise.
 */
export class EarlyFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const early = new Set(sorted.filter(({ moduleId }) => hasMark(moduleId, 'Starts early')));
    const projects = [...new Set(sorted.map(({ project }) => project))];
    return projects.flatMap((project) => {
      const own = sorted.filter((file) => file.project === project);
      return [...own.filter((file) => early.has(file)), ...own.filter((file) => !early.has(file))];
    });
  }
}
