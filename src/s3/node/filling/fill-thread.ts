// What a thread runs that fills files (`fillers.ts`).
import { parentPort, workerData } from 'node:worker_threads';
import type { Setting } from './messages.js';
import { serve } from './serve.js';

serve(parentPort!, workerData as Setting);
