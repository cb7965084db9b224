// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are parts of templates, word for word
import { by, mutantsIn } from './table.ts';

const BATCHES = 'test/integration/batches.test.ts';

/** Questions that wait in batches: asked once, paid for once, and forgotten with their user. */
export const BATCH_MUTANTS = [
  ...mutantsIn('packages/db/src/batches/find.ts', [
    [
      'batch-waiting',
      'a question whose answer is on its way is not asked again',
      "const waits = (state === 'collected' || state === 'sent') && of.at < deadlineAt;",
      'const waits = false;',
      by(BATCHES, 'keep what is asked about from being fused otherwise'),
    ],
    [
      'batch-deadline',
      'a question past its deadline is asked directly',
      ' && of.at < deadlineAt;',
      ';',
      by(BATCHES, 'past the deadline are not waited for'),
    ],
    [
      'batch-taken',
      'an answer that is stored under its key does not stay where it waited',
      "delete from slowwave.batch_requests where ${mine} and state not in ('sent', 'dropped')",
      'select 1',
      by(BATCHES, 'stand in the tables of batches and of memories, and nowhere else'),
    ],
  ]),
  ...mutantsIn('packages/db/src/fusions/claim.ts', [
    [
      'batch-claim',
      'what waits for its answer keeps its sources',
      'and not ${WAITS_IN_BATCH}',
      '',
      by(BATCHES, 'keep what is asked about from being fused otherwise'),
    ],
  ]),
  ...mutantsIn('packages/db/src/batches/collect.ts', [
    [
      'batch-forgotten',
      'what was read before something was forgotten is not written down',
      'if (!(await nothingForgotten(tx, { tenant, user, forgets: request.forgets })))',
      'if (false)',
      by(BATCHES, 'of texts that were read before something was forgotten reserve nothing'),
    ],
    [
      'batch-forbidden',
      'a tenant that wants no batches has none',
      "if (!(await allowsBatches(tx, tenant))) throw new NotCollected('forbidden');",
      '',
      by(BATCHES, 'is asked for directly'),
    ],
  ]),
  ...mutantsIn('packages/db/src/batches/send.ts', [
    [
      'batch-begun',
      'of two who send a batch one does',
      "where tenant = ${tenant} and id = ${id}::uuid and state = 'collecting' returning 1",
      'where tenant = ${tenant} and id = ${id}::uuid returning 1',
      by(BATCHES, 'is begun once, whoever comes again'),
    ],
    [
      'batch-allowed',
      'what was collected before a tenant forbade it is not sent',
      'input.isLate || !(await allowsBatches(tx, tenant))',
      'input.isLate',
      by(BATCHES, 'has nothing sent that was collected before'),
    ],
    [
      'batch-late',
      'what waited past its deadline is not sent',
      'input.isLate || !',
      '!',
      by(BATCHES, 'that a batch never gave up are asked for directly'),
    ],
    [
      'batch-body',
      'a question that the provider has is not kept here',
      'update slowwave.batch_requests set body = null\n      where',
      'update slowwave.batch_requests set body = body\n      where',
      by(BATCHES, 'stand in the tables of batches and of memories, and nowhere else'),
    ],
  ]),
  ...mutantsIn('packages/db/src/batches/open.ts', [
    [
      'batch-look',
      'of several who look at a batch one does',
      'and state = ${of.state} and look_at <= ${instantOf(of.at)}',
      'and state = ${of.state}',
      by(BATCHES, 'by two at once is sent once'),
    ],
  ]),
  ...mutantsIn('packages/db/src/batches/results.ts', [
    [
      'batch-dropped',
      'an answer that nobody wants any more is not written down',
      "if (state === 'dropped') await tx.rows(sql`delete from slowwave.batch_requests where ${mine}`);\n  else if",
      'if',
      by(BATCHES, 'of somebody of whom something is forgotten while they are sent come back in nothing'),
    ],
    [
      'batch-settled',
      'what an answer took is settled',
      'await closeCall(tx, { tenant, user, id: callId }, result.end(collectedAt));',
      '',
      by(BATCHES, 'let a night wait, cost half, and be applied'),
    ],
  ]),
  ...mutantsIn('packages/db/src/batches/forget.ts', [
    [
      'batch-forget',
      'forgetting reaches what is under way',
      "update slowwave.batch_requests set state = 'dropped', body = null\n      where",
      'update slowwave.batch_requests set body = null\n      where',
      by(BATCHES, 'of somebody of whom something is forgotten while they are sent come back in nothing'),
    ],
  ]),
  ...mutantsIn('apps/worker/src/batches/send-batch.ts', [
    [
      'batch-reconcile',
      'a batch of which nobody heard is looked for before it is sent again',
      'if (await isOurs(deps, batch, one.id)) return submitted(deps, batch, one.id);',
      '',
      by(BATCHES, 'and of which nobody heard is found in the list'),
    ],
    [
      'batch-perhaps',
      'one that still runs and may be ours is waited for',
      'if (perhaps.every(({ ended }) => ended)) return takeBack',
      'return takeBack',
      by(BATCHES, 'and of which nobody heard is found in the list'),
    ],
  ]),
  ...mutantsIn('apps/worker/src/steps/rem.ts', [
    [
      'batch-rem',
      'REM asks nothing that the answers of other steps will change',
      'if (context.spending && context.spending.waiting() > 0)',
      'if (false)',
      by(BATCHES, 'let a night wait, cost half, and be applied'),
    ],
  ]),
];
