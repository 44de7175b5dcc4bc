// Prints the optional packages of the service with the versions of package-lock.json, for `npm install`.
import { readFileSync } from 'node:fs';

const readJson = (path) => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
const { peerDependencies } = readJson('../package.json');
const { packages } = readJson('../package-lock.json');
const ofPages = ['react'];

const names = Object.keys(peerDependencies).filter((name) => !ofPages.includes(name));
console.log([...names, 'typebox'].map((name) => `${name}@${packages[`node_modules/${name}`].version}`).join(' '));
