import type { Page } from 'playwright-core';

/** A state of the element to take a picture of. */
export interface Scene {
  attributes?: Record<string, string | boolean>;
  /** The response to each upload: none, 503 for 19 seconds, a refusal, an error that the person can retry, success, all of these in turn, or a part of the bytes. */
  storage?: 'hang' | 'away' | 'fail' | 'damage' | 'store' | 'mixed' | 'partly';
  files?: { name: string; size: number; type?: string }[];
  /** Uploads that a reload interrupted. */
  interrupted?: { name: string; size: number; sent: number }[];
  /** Height of the viewport, which a dialog covers. By default, pictures show the whole page. */
  height?: number;
  /** Runs after the files were added. */
  act?: (page: Page) => Promise<void>;
}
