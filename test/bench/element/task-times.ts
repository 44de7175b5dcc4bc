import type { Page } from 'playwright-core';

/** An event of Chromium's trace. Times are in microseconds. */
interface TraceEvent {
  name: string;
  ph: string;
  pid: number;
  tid: number;
  ts: number;
  dur?: number;
  /** Processor time of the thread. */
  tdur?: number;
}

/**
 * Measures the processor time of the longest task of the page's main thread. Unlike elapsed time, it hardly depends on what else the machine does.
 *
 * @param phases names of the `performance.mark` calls that begin each phase, and of the one that ends the last phase
 * @returns milliseconds by phase
 */
export async function measureTasks<Phase extends string, T>(
  tab: Page,
  phases: readonly Phase[],
  work: () => Promise<T>,
): Promise<{ result: T; longest: Record<Phase, number> }> {
  const session = await tab.context().browser()!.newBrowserCDPSession();
  const events: TraceEvent[] = [];
  session.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])));
  const traceConfig = { includedCategories: ['toplevel', 'blink.user_timing'] };
  await session.send('Tracing.start', { transferMode: 'ReportEvents', traceConfig });
  const result = await work();
  const complete = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve));
  await session.send('Tracing.end');
  await complete;
  await session.detach();
  const marks = phases.map((phase) => events.find(({ name }) => name === phase)!);
  const { pid, tid } = marks[0]!;
  const tasks = events.filter((event) => event.ph === 'X' && event.pid === pid && event.tid === tid);
  const longest = phases.slice(0, -1).map((phase, index) => {
    const [begin, end] = [marks[index]!.ts, marks[index + 1]!.ts];
    const times = tasks.filter(({ ts, dur = 0 }) => ts + dur > begin && ts < end).map(({ tdur = 0 }) => tdur / 1000);
    return [phase, Math.max(0, ...times)];
  });
  return { result, longest: Object.fromEntries(longest) as Record<Phase, number> };
}
