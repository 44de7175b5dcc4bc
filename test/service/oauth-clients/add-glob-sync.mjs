import fs from 'node:fs';
import { register } from 'node:module';

// Adds the named export `globSync` to `fs` on Node 20, which lacks it, so that a program that imports but never calls it starts.
const source = `export * from 'node:fs'; export { default } from 'node:fs'; export const globSync = () => [];`;
const hooks = `export async function resolve(name, context, next) {
  const isProgram = name === 'fs' && context.parentURL?.includes('/conformance/');
  return isProgram ? { url: ${JSON.stringify(`data:text/javascript,${encodeURIComponent(source)}`)}, shortCircuit: true } : next(name, context);
}`;
if (fs.globSync === undefined) register(`data:text/javascript,${encodeURIComponent(hooks)}`);
