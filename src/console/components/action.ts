import type { ReactiveControllerHost } from 'lit';

const TIMEOUT_MS = 60_000;

/** A change that a form sends: whether it runs, and the error of the last attempt. */
export class Action {
  isRunning = false;
  error: unknown;

  constructor(private readonly host: Pick<ReactiveControllerHost, 'requestUpdate'>) {}

  /** Runs a change unless one is running. @returns whether it succeeded */
  async run(change: (signal: AbortSignal) => Promise<unknown>): Promise<boolean> {
    if (this.isRunning) return false;
    this.isRunning = true;
    this.error = undefined;
    this.host.requestUpdate();
    try {
      await change(AbortSignal.timeout(TIMEOUT_MS));
    } catch (error) {
      this.error = error;
    }
    this.isRunning = false;
    this.host.requestUpdate();
    return this.error === undefined;
  }
}
