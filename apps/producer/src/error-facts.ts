/** What a log line may say of an error: its class, its code and where it was thrown. Never its message: that may quote anything. */
export interface ErrorFacts {
  error: string;
  code: string | null;
  at: string[];
}

const CLASS_NAME = /^[A-Za-z_$][\w$]{0,63}$/;
const CODE = /^[A-Za-z0-9_]{1,64}$/;
const FRAME =
  /^ {4}at (?:[\w$.<># [\]]{1,120} )?\(?(?:node:|file:\/\/\/|\/|[A-Z]:\\)[^()\n]{1,300}:\d+:\d+\)?$/;
const MAX_FRAMES = 8;

export function errorFacts(error: unknown): ErrorFacts {
  if (!(error instanceof Error)) return { error: `thrown ${typeof error}`, code: null, at: [] };
  const { code } = error as { code?: unknown };
  const { name } = error.constructor;
  return {
    error: CLASS_NAME.test(name) ? name : 'Error',
    code: typeof code === 'string' && CODE.test(code) ? code : null,
    at: framesOf(error),
  };
}

function framesOf(error: Error): string[] {
  const stack = typeof error.stack === 'string' ? error.stack : '';
  // The message stands at the head of the stack, and its lines may look like frames.
  const end = error.message === '' ? -1 : stack.lastIndexOf(error.message);
  const lines = (end < 0 ? stack : stack.slice(end + error.message.length)).split('\n');
  return lines
    .filter((line) => FRAME.test(line))
    .slice(0, MAX_FRAMES)
    .map((line) => line.trim());
}
