import { by, mutantsIn } from './table.ts';

const STEP = 'packages/fusion/src/step.test.ts';
const RESTATEMENTS = 'packages/fusion/src/statements/restatements.test.ts';
const DECIDE = 'packages/fusion/src/statements/decide.test.ts';
const PLAN = 'packages/fusion/src/plan.test.ts';
const SAME_WORDING = 'packages/fusion/src/gate/same-wording.test.ts';
const GATE = 'packages/fusion/src/gate/gate.test.ts';
const STATEMENTS = 'packages/fusion/src/statements/statements.test.ts';
const JUDGE = 'packages/fusion/src/judge/judge.test.ts';
const MODELS = 'apps/worker/src/step-models.test.ts';
const BREAKER = 'apps/worker/src/breaker.test.ts';

/** No fact lost, none invented, and no money burned. */
export const JUDGE_MUTANTS = [
  ...mutantsIn('packages/fusion/src/gate/gate.ts', [
    [
      'gate-floor',
      'no judge decides on numbers, dates and names',
      'removed',
      by(GATE, 'is the floor where a hard fact is gone, whatever the judge says'),
    ],
    ['gate-veto', 'one vote against a statement is enough', 'removed', by(GATE, 'is refused by a single no')],
  ]),
  ...mutantsIn('packages/fusion/src/statements/answer.ts', [
    [
      'statement-source-once',
      'a source belongs to one statement at most',
      'removed',
      by(STATEMENTS, 'has each source in one statement at most: the first counts'),
    ],
    [
      'statement-shorter',
      'a statement saves something',
      'removed',
      by(STATEMENTS, 'leaves out a statement for not_shorter, and keeps the others'),
    ],
  ]),
  ...mutantsIn('packages/fusion/src/judge/answer.ts', [
    [
      'judge-canary',
      'a judge that is wrong about a canary is not believed',
      'removed',
      by(JUDGE, 'is no from an obedient judge that accepts whatever it is shown'),
    ],
    [
      'judge-quotes',
      'words that a judge names stand where it says',
      'removed',
      by(JUDGE, 'accepts words that stand where it says, whatever their case and marks'),
    ],
    [
      'judge-when',
      'a source keeps its time',
      { is: 'const isTimely = true;' },
      by(JUDGE, 'is no for a time that is lost'),
    ],
  ]),
  ...mutantsIn('packages/fusion/src/attempt.ts', [
    ['memo-used', 'an answer that was paid for is used', 'never', by(STEP, 'uses a paid answer again')],
    [
      'judge-stopped',
      'no judge is asked once calls are stopped',
      'removed',
      by(DECIDE, 'asks no judge once calls are stopped'),
    ],
    [
      'abort-statements',
      'no statement is committed after an abort',
      'removed',
      by(DECIDE, 'does not commit what was judged after an abort'),
    ],
    [
      'repair-once',
      'an answer is repaired once',
      { is: 'again >= 3' },
      by(STEP, 'fails with its reason after one repair'),
    ],
    [
      'share-before-call',
      'no answer is paid for that may not be used',
      'removed',
      by(STEP, 'supersedes no more than 16 of a small memory, and pays no call'),
    ],
    [
      'calls-stopped',
      'nobody is asked again after a rate limit',
      'removed',
      by(STEP, 'ends calls at a rate limit, gives the rest keys'),
    ],
    [
      'gate-deadline',
      'a gate takes no longer than its step may',
      'removed',
      by(STEP, 'ends a gate between two statements'),
    ],
    [
      'deadline',
      'nothing begins after the deadline',
      'removed',
      by(STEP, 'does not repair after the deadline, but leaves the key open'),
    ],
  ]),
  ...mutantsIn('packages/fusion/src/statements/decide.ts', [
    [
      'statement-disputed',
      'no statement settles what people have to settle',
      'removed',
      by(DECIDE, 'leave alone what is disputed'),
    ],
    [
      'statement-known',
      'what was taken back is not joined again',
      'removed',
      by(DECIDE, 'leave alone what is disputed'),
    ],
    [
      'statement-share',
      'a run supersedes no more than its share',
      'removed',
      by(DECIDE, 'supersede no more than one run may'),
    ],
  ]),
  ...mutantsIn('packages/fusion/src/statements/decide.ts', [
    [
      'repeat-event',
      'events of two days are no repetition',
      { is: 'isEvent: hasTime(times)' },
      by(DECIDE, 'of two days, without a judge: the lane that their days allow'),
    ],
  ]),
  ...mutantsIn('packages/fusion/src/judge/exam.ts', [
    [
      'exam-strict',
      'one unsafe statement fails a judge',
      { is: 'result.passed = result.goodAccepted >= EXAM_SHARE * result.good;' },
      by('packages/fusion/src/judge/exam.test.ts', 'is failed by one who accepts everything'),
    ],
  ]),
  ...mutantsIn('apps/worker/src/statements.ts', [
    [
      'judge-failed',
      'a judge that failed its exam judges nothing',
      'removed',
      by('test/integration/statements.test.ts', 'asks for one vote where the judge passed'),
    ],
  ]),
  ...mutantsIn('packages/fusion/src/gate/twins.ts', [
    [
      'plan-one-day',
      'a later state is no contradiction',
      'removed',
      by('packages/fusion/src/gate/twins.test.ts', 'leaves alone what was said on two days'),
    ],
    [
      'plan-fact-pairs',
      'a comparison of two texts ends, however many facts they have',
      'never',
      by('packages/fusion/src/gate/twins.test.ts', 'texts with more pairs of facts than are compared'),
    ],
  ]),
  ...mutantsIn('packages/fusion/src/gate/occasions.ts', [
    [
      'repeat-lasting',
      'what was said on two days may be two things',
      { is: 'return true;' },
      by('packages/fusion/src/gate/fast-lane.test.ts', 'of a relative day, said on several days'),
    ],
  ]),
  ...mutantsIn('packages/fusion/src/gate/same-wording.ts', [
    [
      'merge-event',
      'the same event on two days is two events',
      { is: "if (isLastingText) return 'any day';" },
      by(SAME_WORDING, 'events: pairs of one local day alone'),
    ],
  ]),
  ...mutantsIn('packages/fusion/src/gate/merge.ts', [
    [
      'merge-times',
      'of two days, one with a time of its own may be another occasion',
      'removed',
      by('packages/fusion/src/gate/merge.test.ts', 'merges nothing that was said on different days when one'),
    ],
  ]),
  ...mutantsIn('packages/db/src/workspaces/block-look.ts', [
    [
      'block-day',
      'a bullet in the notes of several days is a memory of each',
      'removed',
      by(
        'test/integration/notes-import.test.ts',
        'makes a memory of each day of a bullet that stands in the notes of several days',
      ),
    ],
  ]),
  ...mutantsIn('packages/fusion/src/reading/lasting.ts', [
    [
      'lasting-language',
      'in a language without a table any word may mean a day',
      { is: 'if (language === null) return true;' },
      by(SAME_WORDING, 'texts of a language without a table: pairs of one local day alone'),
    ],
  ]),
  ...mutantsIn('packages/fusion/src/slices.ts', [
    [
      'plan-deadline',
      'a plan takes no longer than its step may',
      'removed',
      by('packages/fusion/src/slices.test.ts', 'ends at the first pause past the deadline'),
    ],
  ]),
  ...mutantsIn('packages/fusion/src/groups.ts', [
    [
      'plan-inside',
      'a group has a memory inside the window',
      'removed',
      by(PLAN, 'join a memory inside the window, and make no group of their own'),
    ],
    [
      'plan-offered',
      'what was offered together is not offered again',
      'removed',
      by(PLAN, 'are asked about again only with a pair that was never offered'),
    ],
  ]),
  ...mutantsIn('packages/fusion/src/statements/restatements.ts', [
    [
      'restated-known',
      'what was taken back is not merged again',
      'always',
      by(RESTATEMENTS, 'joins no pair whose merge was taken back'),
    ],
    [
      'restated-share',
      'a run supersedes no more than its share, statements that are said again included',
      { is: 'const isOver = false;' },
      by(RESTATEMENTS, 'and no more than a run may supersede'),
    ],
  ]),
  ...mutantsIn('packages/db/src/memories/candidates.ts', [
    [
      'partner-faded',
      'a partner has faded or is archived',
      'removed',
      by('test/db/closeness.test.ts', 'what has faded below the window or is archived'),
    ],
    [
      'partner-below',
      'a partner is no more prominent than the window admits',
      'removed',
      by('test/db/closeness.test.ts', 'what has faded below the window or is archived'),
    ],
    [
      'restated-before',
      'a pair of a statement and a note is asked about once',
      'removed',
      by('test/integration/restatements.test.ts', 'the pair is not asked about again'),
    ],
    [
      'offered-stale',
      'what was lost before it was approved is asked about anew',
      'removed',
      by('test/db/statements.test.ts', 'and were partly applied stay closed when the rest loses a source'),
    ],
  ]),
  ...mutantsIn('packages/fusion/src/gate/floor.ts', [
    [
      'floor-enough',
      'the floor ends with the first problems of hostile texts',
      'removed',
      by(
        'packages/fusion/src/gate/floor.test.ts',
        'ends with the first problems of texts that have thousands',
      ),
    ],
  ]),
  ...mutantsIn('packages/db/src/forgetting/reach.ts', [
    [
      'forget-restated',
      'a note that said a statement again is not forgotten with another source of it',
      'removed',
      by(
        'test/integration/restatements.test.ts',
        'comes back when another source of the statement is forgotten',
      ),
    ],
  ]),
  ...mutantsIn('packages/fusion/src/requests.ts', [
    [
      'pack-apart',
      'what must stay apart is in no request together',
      'removed',
      by(PLAN, 'never hold a pair that must stay apart'),
    ],
  ]),
  ...mutantsIn('packages/fusion/src/ask.ts', [
    [
      'call-abort',
      'a model that is deaf does not hold up the end of its job',
      'removed',
      by(STEP, 'stops at once when aborted during a call, even when the model is deaf'),
      'Test timed out',
    ],
  ]),
  ...mutantsIn('apps/worker/src/breaker.ts', [
    [
      'breaker',
      'a provider that refused the key is not asked on and on',
      'removed',
      by(BREAKER, 'stops asking once the key was refused'),
    ],
    [
      'breaker-probe',
      'one call at a time asks whether it is over',
      { is: 'false' },
      by(BREAKER, 'asks only once meanwhile'),
    ],
  ]),
  ...mutantsIn('apps/worker/src/step-models.ts', [
    [
      'tokens-used',
      'no call begins once the tokens are used up',
      { is: 'false' },
      by(MODELS, 'begins no call once the tokens are used up'),
    ],
    [
      'tokens-under-way',
      'calls under way count',
      { is: '0' },
      by(MODELS, 'counts what calls under way have asked for'),
    ],
  ]),
];
