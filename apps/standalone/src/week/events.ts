/** What happens in the example week, as the files in examples/ hold it, moved to the days before now. */
export type WeekEvent = { user: string; at: number } & (
  | { kind: 'memories'; lines: string }
  | { kind: 'message'; session: string; role: 'user' | 'assistant'; content: string }
  | { kind: 'goal'; id: string; title: string; due: number }
  | { kind: 'reminder'; id: string; content: string; due: number }
  | { kind: 'feedback'; verdict: 'accepted' | 'dismissed' }
  | { kind: 'recall'; query: string }
  | { kind: 'confirm'; memory: string }
);

type Line = Record<string, unknown> & { user: string };

const TIMES = ['date', 'eventDate', 'validFrom', 'validTo', 'expiresAt', 'at', 'due'] as const;

function linesOf(text: string): Line[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
}

/** The same line as if it had happened `shiftMs` later. */
function shifted(line: Line, shiftMs: number): Line {
  const times = TIMES.flatMap((name) => {
    const value = line[name];
    return typeof value === 'string' ? [[name, new Date(Date.parse(value) + shiftMs).toISOString()]] : [];
  });
  return { ...line, ...Object.fromEntries(times) };
}

const newestOf = (lines: Line[]): number =>
  Math.max(...lines.flatMap(({ date }) => (typeof date === 'string' ? [Date.parse(date)] : [])));

/**
 * One user's week: what was known before `start`, and what happens from then on, in order.
 * @param shiftOf whole days in ms that bring the newest memory of the file to today, given its date (epoch ms)
 */
export function readWeek(
  files: { memories: string; week: string },
  user: string,
  start: number,
  shiftOf: (newest: number) => number,
): { before: string; events: WeekEvent[] } {
  const memories = linesOf(files.memories);
  const shiftMs = shiftOf(newestOf(memories));
  const own = memories.filter((line) => line.user === user).map((line) => shifted(line, shiftMs));
  const isBefore = (line: Line) => typeof line.date !== 'string' || Date.parse(line.date) <= start;
  const written = own
    .filter((line) => !isBefore(line))
    .map((line): WeekEvent => {
      const at = Date.parse(String(line.date));
      return { kind: 'memories', user, at, lines: JSON.stringify(line) };
    });
  const lived = linesOf(files.week)
    .filter((line) => line.user === user)
    .map((line) => eventOf(shifted(line, shiftMs)));
  return {
    before: own
      .filter(isBefore)
      .map((line) => JSON.stringify(line))
      .join('\n'),
    events: [...written, ...lived].filter(({ at }) => at > start).sort((one, other) => one.at - other.at),
  };
}

function eventOf(line: Line): WeekEvent {
  const at = Date.parse(String(line.at));
  const due = typeof line.due === 'string' ? { due: Date.parse(line.due) } : {};
  return { ...line, at, ...due } as WeekEvent;
}
