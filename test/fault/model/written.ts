import type { Act } from './acts.ts';
import type { End } from './service.ts';
import { HOUR, MINUTE } from './state.ts';

const deliver = (end: End | null = null): Act => ({ do: 'deliver', pick: 0, end });
const dies = (point: string, nth = 1): Act => deliver({ how: 'dies', point, nth });
const stalls = (point: string, nth = 1): Act => deliver({ how: 'stalls', point, nth });
const ask = (tier: 'light' | 'deep' | 'sleep'): Act => ({ do: 'ask', pick: 0, tier });
const manner = (of: Extract<Act, { do: 'manner' }>['manner']): Act => ({ do: 'manner', manner: of });
const mode = (of: Extract<Act, { do: 'mode' }>['mode']): Act => ({ do: 'mode', pick: 0, mode: of });
const pass = (ms: number): Act => ({ do: 'pass', ms });
const tick: Act = { do: 'tick', tier: 'deep' };
const pick = (
  name: 'resume' | 'expire' | 'edit' | 'forget' | 'approve' | 'reject' | 'retry' | 'double' | 'release',
  at = 0,
): Act => ({ do: name, pick: at });
const back = (name: 'undo' | 'redo', what: 'fusion' | 'run', at = 0): Act => ({ do: name, what, pick: at });
/** Four memories more, of which a good model makes two statements: they come first, and are the fourth to the seventh memory. */
const four: Act = { do: 'write', pick: 0, count: 4 };
const [THIRD, FOURTH] = [2, 3];
const overtaken: Act[] = [pick('expire'), { do: 'giveBack' }];

/** Lives that are lived whatever is drawn, each with what must happen in it: without that it would show nothing. */
export const WRITTEN: Record<string, { does: Act[]; shows: string }> = {
  'a worker that stops before its commit and is taken over by one that fuses nothing': {
    does: [ask('deep'), stalls('before-transaction'), mode('off'), ...overtaken, deliver(), pick('resume')],
    shows: 'commit lease_lost',
  },
  'a worker that stops before its commit and is taken over by one that fuses the same': {
    does: [ask('deep'), stalls('before-transaction'), ...overtaken, deliver(), pick('resume')],
    shows: 'taken over',
  },
  'a source that is edited while its fusion is planned': {
    does: [ask('deep'), stalls('after-read'), pick('edit'), pick('resume')],
    shows: 'commit stale',
  },
  'a wake-up that comes twice': {
    does: [pass(7 * HOUR), tick, pick('double'), deliver(), deliver()],
    shows: 'closed not_due',
  },
  'an answer that is paid for when its worker dies': {
    does: [ask('deep'), dies('after-memo'), ...overtaken, deliver()],
    shows: 'taken over',
  },
  'a night over memories that a day failed to fuse': {
    does: [manner('overloaded'), ask('deep'), deliver(), manner('good'), ask('sleep'), deliver(), deliver()],
    shows: 'committed',
  },
  'a run that was asked for and dies, in a queue that loses it': {
    does: [
      ask('deep'),
      dies('after-run-start'),
      { do: 'flush' },
      pick('expire'),
      ask('light'),
      deliver(),
      tick,
      deliver(),
    ],
    shows: 'abandoned',
  },
  'a tick while somebody is at work': {
    does: [pass(7 * HOUR), tick, stalls('after-run-start'), pass(11 * MINUTE), tick, pick('resume')],
    shows: 'stalled after-run-start',
  },
  'a worker that comes back when somebody else goes on with its run': {
    does: [
      ask('deep'),
      stalls('after-step', 5),
      ...overtaken,
      stalls('after-run-start'),
      pick('resume'),
      pick('resume'),
    ],
    shows: 'taken over',
  },
  'a worker that comes back before it has begun': {
    does: [
      ask('deep'),
      stalls('after-lease'),
      pick('expire'),
      ask('light'),
      { do: 'deliver', pick: 0, end: null },
      pick('resume'),
    ],
    shows: 'taken over',
  },
  'a fusion undone, redone and undone with its run': {
    does: [
      ask('deep'),
      deliver(),
      back('undo', 'fusion'),
      ask('deep'),
      deliver(),
      back('redo', 'fusion'),
      back('undo', 'run'),
      back('redo', 'run'),
    ],
    shows: 'redo run',
  },
  'a source that is forgotten after all': {
    does: [ask('deep'), deliver(), pick('forget'), back('undo', 'fusion'), ask('deep'), deliver()],
    shows: 'derived forgotten',
  },
  'a proposal that nobody looks at, and one that somebody approves': {
    does: [
      mode('review'),
      ask('deep'),
      deliver(),
      pass(25 * HOUR),
      pass(25 * HOUR),
      ask('deep'),
      deliver(),
      pick('approve'),
    ],
    shows: 'approved',
  },
  'a user who wants to see fusions first when a run has just begun': {
    does: [ask('deep'), stalls('after-lease'), mode('review'), pick('resume')],
    shows: 'committed',
  },
  'a sleep that is late, and whose worker dies before it has looked at the night': {
    does: [pass(25 * HOUR), { do: 'tick', tier: 'sleep' }, dies('after-lease')],
    shows: 'sleep completed',
  },
  'a sleep that is late, and begins behind a run that was asked for later': {
    does: [
      pass(25 * HOUR),
      { do: 'tick', tier: 'sleep' },
      stalls('after-lease'),
      ask('light'),
      deliver(),
      pick('resume'),
    ],
    shows: 'sleep completed',
  },
  'a worker that has lost its user when all that is left to do is to embed': {
    does: [pass(7 * HOUR), tick, stalls('after-step'), pick('expire'), pick('forget'), pick('resume')],
    shows: 'deep abandoned',
  },
  'a worker that comes back when all that it had begun is done, and embedded': {
    does: [
      pass(7 * HOUR),
      tick,
      stalls('after-model'),
      pick('expire'),
      ask('deep'),
      deliver(),
      pick('resume'),
    ],
    shows: 'taken over',
  },
  'a third worker in a row that dies, found when the service is left alone': {
    does: [
      ask('deep'),
      dies('after-read'),
      ...overtaken,
      dies('after-read'),
      ...overtaken,
      pass(HOUR),
      ask('deep'),
      tick,
      dies('after-read'),
    ],
    shows: 'quarantined never_ended',
  },
  'a proposal that nobody looks at before the service is left alone': {
    does: [mode('review'), ask('deep'), deliver()],
    shows: 'review expired',
  },
  'a step that fails every time': {
    does: [
      { do: 'trouble', trouble: 'fault' },
      ask('deep'),
      deliver(),
      ask('deep'),
      deliver(),
      ask('deep'),
      deliver(),
      pick('release'),
    ],
    shows: 'quarantined trouble_fault',
  },
  'a model that leaves a fact out': {
    does: [manner('forgetful'), ask('deep'), deliver(), back('undo', 'fusion'), back('redo', 'fusion')],
    shows: 'undo fusion',
  },
  'a model that asks for patience': {
    does: [manner('limited'), ask('deep'), deliver(), deliver(), manner('good'), deliver()],
    shows: 'retried deferred',
  },
  'a model that refuses, until it is asked again': {
    does: [manner('refusing'), ask('deep'), deliver(), deliver(), manner('good'), pick('retry'), deliver()],
    shows: 'retried committed',
  },
  'an answer of two statements, one taken back, then both and made good again': {
    does: [
      four,
      ask('deep'),
      deliver(),
      back('undo', 'fusion', 2),
      back('undo', 'fusion'),
      back('redo', 'fusion'),
      back('undo', 'run'),
    ],
    shows: 'committed several',
  },
  'two statements before a person, one approved and one left until its time is over': {
    does: [
      mode('review'),
      four,
      ask('deep'),
      deliver(),
      pick('approve'),
      pass(25 * HOUR),
      pass(25 * HOUR),
      ask('deep'),
      deliver(),
    ],
    shows: 'expired beside what stands',
  },
  'two statements before a person, one turned down and one left until its time is over': {
    does: [
      mode('review'),
      four,
      ask('deep'),
      deliver(),
      pick('reject'),
      pass(25 * HOUR),
      pass(25 * HOUR),
      ask('deep'),
      deliver(),
    ],
    shows: 'review expired',
  },
  'a statement that stands beside what is forgotten': {
    does: [four, ask('deep'), deliver(), pick('forget', FOURTH), ask('deep'), deliver()],
    shows: 'applied beside what is forgotten',
  },
  'a statement that was taken back beside what is forgotten': {
    does: [
      four,
      ask('deep'),
      deliver(),
      back('undo', 'fusion', 2),
      pick('forget', FOURTH),
      back('redo', 'fusion', 2),
    ],
    shows: 'undone beside what is forgotten',
  },
  'a proposal beside what is forgotten': {
    does: [
      mode('review'),
      four,
      ask('deep'),
      deliver(),
      pick('forget', FOURTH),
      pick('approve'),
      pick('approve'),
    ],
    shows: 'review beside what is forgotten',
  },
  'a memory edited in the middle of what was offered, and one at its end': {
    does: [
      manner('forgetful'),
      ask('deep'),
      deliver(),
      back('undo', 'fusion'),
      pick('edit', THIRD),
      ask('deep'),
      deliver(),
      manner('good'),
      pick('edit', 1),
      ask('deep'),
      deliver(),
    ],
    shows: 'committed',
  },
  'a statement turned down before what failed in another tier is tried again': {
    does: [
      manner('refusing'),
      ask('deep'),
      deliver(),
      deliver(),
      manner('good'),
      mode('review'),
      ask('sleep'),
      deliver(),
      pick('reject'),
      pick('retry'),
      deliver(),
    ],
    shows: 'closed known',
  },
  'a statement of sources that failed by themselves before': {
    does: [
      mode('review'),
      { do: 'write', pick: 0, count: 5 },
      ask('deep'),
      deliver(),
      pick('edit', 6),
      manner('refusing'),
      ask('deep'),
      deliver(),
      deliver(),
      manner('good'),
      pass(25 * HOUR),
      pass(25 * HOUR),
      ask('deep'),
      deliver(),
    ],
    shows: 'fusion refused',
  },
  'a model that makes something up, and is not asked again': {
    does: [
      manner('inventive'),
      ask('deep'),
      deliver(),
      manner('good'),
      ask('deep'),
      deliver(),
      ask('sleep'),
      deliver(),
    ],
    shows: 'closed floor',
  },
};
