/** What happens to an example person, on the dates that the files in examples/ hold. */
export type DayEvent = { user: string; at: number } & (
  | { kind: 'memories'; lines: string }
  | { kind: 'message'; session: string; role: 'user' | 'assistant'; content: string }
  | { kind: 'goal'; id: string; title: string; due: number }
  | { kind: 'reminder'; id: string; content: string; due: number }
  | { kind: 'feedback'; verdict: 'accepted' | 'dismissed' }
  | { kind: 'recall'; query: string }
  | { kind: 'confirm'; memory: string }
  | { kind: 'disagree'; a: string; b: string; slot: string }
);

type Line = Record<string, unknown> & { user: string };

function linesOf(text: string): Line[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
}

/** What one person knew at `start` (epoch ms), and what happens to them from then on, in order. */
export function readDays(files: { memories: string; days: string }, user: string, start: number): DayEvent[] {
  const own = linesOf(files.memories).filter((line) => line.user === user);
  const isBefore = (line: Line) => typeof line.date !== 'string' || Date.parse(line.date) <= start;
  const before = own.filter(isBefore).map((line) => JSON.stringify(line));
  const written = own
    .filter((line) => !isBefore(line))
    .map((line): DayEvent => {
      const at = Date.parse(String(line.date));
      return { kind: 'memories', user, at, lines: JSON.stringify(line) };
    });
  const lived = linesOf(files.days)
    .filter((line) => line.user === user)
    .map(eventOf);
  const later = [...written, ...lived].filter(({ at }) => at > start).sort((one, other) => one.at - other.at);
  return [{ kind: 'memories', user, at: start, lines: before.join('\n') }, ...later];
}

function eventOf(line: Line): DayEvent {
  const at = Date.parse(String(line.at));
  const due = typeof line.due === 'string' ? { due: Date.parse(line.due) } : {};
  return { ...line, at, ...due } as DayEvent;
}
