// What a thread runs that fills files (`filler.ts`).
import { setDefaultResultOrder } from 'node:dns';
import { setDefaultAutoSelectFamily } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import type { Setting } from './messages.js';
import { serve } from './serve.js';

const setting = workerData as Setting;
setDefaultResultOrder(setting.resultOrder);
setDefaultAutoSelectFamily(setting.autoSelectFamily);
serve(parentPort!, setting);
