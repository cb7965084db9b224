/** What happens in the example week, on the dates that the files in examples/ hold. */
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

function linesOf(text: string): Line[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
}

/** One user's week: what was known at `start` (epoch ms), and what happens from then on, in order. */
export function readWeek(
  files: { memories: string; week: string },
  user: string,
  start: number,
): { before: string; events: WeekEvent[] } {
  const own = linesOf(files.memories).filter((line) => line.user === user);
  const isBefore = (line: Line) => typeof line.date !== 'string' || Date.parse(line.date) <= start;
  const written = own
    .filter((line) => !isBefore(line))
    .map((line): WeekEvent => {
      const at = Date.parse(String(line.date));
      return { kind: 'memories', user, at, lines: JSON.stringify(line) };
    });
  const lived = linesOf(files.week)
    .filter((line) => line.user === user)
    .map(eventOf);
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
