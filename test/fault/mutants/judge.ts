import { by, mutantsIn } from './table.ts';

const STEP = 'packages/fusion/src/step.test.ts';
const GATE = 'packages/fusion/src/gate/gate.test.ts';
const MODELS = 'apps/worker/src/step-models.test.ts';
const BREAKER = 'apps/worker/src/breaker.test.ts';

/** No fact lost, none invented, and no money burned. */
export const JUDGE_MUTANTS = [
  ...mutantsIn('packages/fusion/src/judge.ts', [
    [
      'gate',
      'nothing is superseded that the gate refuses',
      'const gate = checkGate(cluster, summary, settled, context);',
      'const gate = { ...checkGate(cluster, summary, settled, context), ok: true, coveredIds: settled.map((n) => cluster.members[n - 1].id) };',
      by('packages/fusion/src/judge.test.ts', 'says share_exceeded when the run has done enough'),
    ],
    [
      'disputed',
      'sources that disagree are not covered',
      'const settled = covered.filter((number) => !disputed.has(number));',
      'const settled = covered;',
      by('packages/fusion/src/judge.test.ts', 'does not cover sources that disagree'),
    ],
    [
      'truncated',
      'half an answer is none',
      "if (stored.stopReason === 'max_tokens') return { ok: false, reason: 'truncated' };",
      '',
      by('packages/fusion/src/judge.test.ts', 'judgeFusion'),
    ],
  ]),
  ...mutantsIn('packages/fusion/src/gate/gate.ts', [
    [
      'gate-loss',
      'no source is superseded of which a fact is lost',
      'return lost.length === 0;',
      'return true;',
      by(GATE, 'covers only what the model claims and the code verifies'),
    ],
    [
      'gate-invention',
      'nothing is said that no source says',
      "if (counts.invented > 0) return fail('invented');",
      '',
      by(GATE, 'part 4: nothing invented'),
    ],
    [
      'gate-pairing',
      'no fact moves from one thing to another',
      "if (paired.length > 0) return fail('fact_loss');",
      '',
      by(GATE, 'refuses a summary in which a negation moved to another predicate'),
    ],
    [
      'gate-length',
      'a summary is shorter than its sources',
      "if (summary.length >= counts.sourceChars) return fail('not_shorter');",
      '',
      by(GATE, 'refuses what is as long as the sources'),
    ],
    [
      'gate-share',
      'one run supersedes a share at most',
      'if (context.alreadySuperseded + covered.length > runLimit(context.latestCount))',
      'if (false)',
      by(GATE, 'counts what the run has superseded already'),
    ],
  ]),
  ...mutantsIn('packages/fusion/src/attempt.ts', [
    [
      'memo-used',
      'an answer that was paid for is used',
      'if (claim.answer) {',
      'if (false) {',
      by(STEP, 'uses a paid answer again'),
    ],
    [
      'abort-commit',
      'nothing is committed after an abort',
      "    if (options.signal?.aborted) return deferred(work, 'aborted');\n    if (verdict.ok)",
      '    if (verdict.ok)',
      by(STEP, 'does not commit what was answered after an abort'),
    ],
    [
      'repair-once',
      'an answer is repaired once',
      'repairs >= (options.maxRepairs ?? 1)',
      'repairs >= 3',
      by(STEP, 'fails with its reason after one repair'),
    ],
    [
      'share-before-call',
      'no answer is paid for that may not be used',
      "if (cluster.members.length > room) return 'share_exceeded';",
      '',
      by(STEP, 'supersedes no more than 16 of a small memory, and pays no call'),
    ],
    [
      'calls-stopped',
      'nobody is asked again after a rate limit',
      'if (options.callsStopped) return options.callsStopped.code;',
      '',
      by(STEP, 'ends calls at a rate limit, gives the rest keys'),
    ],
    [
      'deadline',
      'nothing begins after the deadline',
      "if (options.deadlineMs !== undefined && options.nowMs() >= options.deadlineMs) return 'deadline';",
      '',
      by(STEP, 'does not repair after the deadline, but leaves the key open'),
    ],
  ]),
  ...mutantsIn('packages/fusion/src/ask.ts', [
    [
      'call-abort',
      'a model that is deaf does not hold up the end of its job',
      'return await Promise.race([promise, aborted]);',
      'return await promise;',
      by(STEP, 'stops at once when aborted during a call, even when the model is deaf'),
      'Test timed out',
    ],
  ]),
  ...mutantsIn('apps/worker/src/breaker.ts', [
    [
      'breaker',
      'a provider that refused the key is not asked on and on',
      'until = nowMs() + pauseMs;',
      'until = null;',
      by(BREAKER, 'stops asking once the key was refused'),
    ],
    [
      'breaker-probe',
      'one call at a time asks whether it is over',
      '(nowMs() < until || probing)',
      'nowMs() < until',
      by(BREAKER, 'asks only once meanwhile'),
    ],
  ]),
  ...mutantsIn('apps/worker/src/step-models.ts', [
    [
      'tokens-used',
      'no call begins once the tokens are used up',
      'const exhausted = (): boolean => refused || spent() >= tokens;',
      'const exhausted = (): boolean => refused;',
      by(MODELS, 'begins no call once the tokens are used up'),
    ],
    [
      'tokens-under-way',
      'calls under way count',
      'usage.inputTokens + usage.outputTokens + underWay',
      'usage.inputTokens + usage.outputTokens',
      by(MODELS, 'counts what calls under way have asked for'),
    ],
  ]),
];
