import { type Logger, pino } from 'pino';

/** Logs carry ids, codes and counts. Nobody hands them a memory, and a field that might hold one is cut here as well. */
export function createLogger(level: string, destination?: { write(line: string): void }): Logger {
  const options = {
    level,
    base: null,
    redact: {
      paths: ['content', '*.content', 'text', '*.text', 'summary', '*.summary', 'err.params', 'err.query'],
      censor: '[cut]',
    },
  };
  return destination ? pino(options, destination) : pino(options);
}
