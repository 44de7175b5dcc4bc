import type { BlobServiceOptions } from '../../server/service/index.js';

/** A logger of every level, and the lines that it received. */
export function recordingLogger(): { logger: Exclude<BlobServiceOptions['logger'], boolean | undefined>; text: () => string } {
  const lines: string[] = [];
  const write = (...parts: unknown[]) =>
    void lines.push(
      JSON.stringify(parts, (_key, value: unknown) =>
        value instanceof Error ? { ...value, message: value.message, stack: value.stack, cause: value.cause } : value,
      ),
    );
  const levels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];
  const logger: object = {
    level: 'trace',
    ...Object.fromEntries(levels.map((level) => [level, write])),
    child: () => logger,
  };
  return { logger: logger as never, text: () => lines.join('\n') };
}
