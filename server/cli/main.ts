#!/usr/bin/env node
import { keepCompiled } from './compile-cache.js';

// Before the rest is loaded: what comes later is kept.
keepCompiled();
const { runProgram } = await import('./program.js');
await runProgram();
