import { actionStyles } from './actions.js';
import { listStyles } from './list.js';
import { singleFileStyles } from './single-file.js';
import { summaryStyles } from './summary.js';

/** The styles of chosen files. They load with the code that renders the files. */
export const fileStyles = [actionStyles, listStyles, summaryStyles, singleFileStyles];
