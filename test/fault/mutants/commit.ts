// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are parts of templates, word for word
import { by, mutantsIn } from './table.ts';

const GUARDS = 'test/fault/guards-commit.test.ts';
const COMMIT = 'test/db/commit.test.ts';
const REVIEWS = 'test/db/reviews.test.ts';

/** The guards of a commit. */
export const COMMIT_MUTANTS = [
  ...mutantsIn('packages/db/src/fusions/commit.ts', [
    [
      'commit-lease',
      'a commit looks at its lease',
      'if (guards.lease && !row?.held) throw',
      'if (false) throw',
      by(GUARDS, 'is kept from fusing again by the guard lease alone'),
    ],
    [
      'commit-ledger-applied',
      'a fusion that is applied is not applied again',
      "if (guards.ledger && status === 'applied') throw",
      'if (false) throw',
      by(GUARDS, 'is kept from fusing again by the guard ledger alone'),
    ],
    [
      'commit-ledger-closed',
      'a fusion that was undone, rejected, forgotten or has failed stays so',
      "if (guards.ledger && status !== 'planned' && status !== 'generated') {",
      'if (false) {',
      by(COMMIT, 'ledger: a fusion that is'),
    ],
    [
      'commit-ledger-review',
      'what waits for a person is not proposed again',
      "if (guards.ledger && status === 'review' && scope.mode === 'review') {",
      'if (false) {',
      by(REVIEWS, 'is found when it is done again'),
    ],
    [
      'commit-ledger-lock',
      'the ledger row is locked until the commit ends',
      'and key = ${key} for update)',
      'and key = ${key})',
      by(GUARDS, 'ledger: its lock'),
    ],
    [
      'commit-content-key',
      'the id of what is derived follows from the key',
      'guards.contentKey ? derivedIdOf(input.key, members) : newId(input.derived.documentDate)',
      'newId(input.derived.documentDate)',
      by(GUARDS, 'is kept from fusing again by the guard contentKey alone'),
    ],
    [
      'commit-stale-marked',
      'a fusion whose sources changed is planned anew',
      "if (result.status === 'stale') await markStale(database, scope, input.key);",
      '',
      by(COMMIT, 'sources: a changed'),
    ],
  ]),
  ...mutantsIn('packages/db/src/fusions/scope.ts', [
    [
      'lease-fence',
      'a lease is held under one fence',
      'and fence = ${scope.lease.fence} and holder',
      'and holder',
      by(GUARDS, 'of a later hold of the same holder'),
    ],
    [
      'lease-holder',
      'a lease is held by one holder',
      ' and holder = ${scope.lease.holder}',
      '',
      by(GUARDS, 'of another holder'),
    ],
    [
      'lease-expiry',
      'a lease that has run out is lost',
      'and expires_at > clock_timestamp()',
      '',
      by(GUARDS, 'that has run out'),
    ],
    [
      'lease-lock',
      'nobody takes a user over while a commit is under way',
      'for share) as held)`',
      ') as held)`',
      by(GUARDS, 'lease: its lock keeps the user'),
    ],
  ]),
  ...mutantsIn('packages/db/src/fusions/apply.ts', [
    [
      'sources-version',
      'a source has the version that was planned with',
      'row.version === member.version && ',
      '',
      by(GUARDS, 'is found by its version'),
    ],
    [
      'sources-content',
      'a source has the content that was planned with',
      ' && row.hash === member.contentHash',
      '',
      by(GUARDS, 'is found by its content'),
    ],
    [
      'sources-latest',
      'a source is latest',
      'is_latest and archived_at is null as usable',
      'archived_at is null as usable',
      by(GUARDS, 'is found by no longer being latest'),
    ],
    [
      'sources-archived',
      'a source was not put away',
      'is_latest and archived_at is null as usable',
      'is_latest as usable',
      by(GUARDS, 'is found by being put away'),
    ],
    [
      'sources-owner',
      'a source belongs to the user',
      'where ${owned(scope)} and id = any(${uuidArray(members',
      'where tenant = ${scope.tenant} and id = any(${uuidArray(members',
      by(GUARDS, "somebody else's memory is none"),
    ],
    [
      'sources-lock',
      'the sources are locked until the commit ends',
      'order by id\n    for update`);',
      'order by id`);',
      by(GUARDS, 'sources: their locks keep two apart'),
    ],
    [
      'sources-judged',
      'a source that changed makes the fusion stale',
      "if (!unchanged) throw new Rollback({ status: 'stale' });",
      '',
      by(GUARDS, 'is kept from fusing again by the guard sources alone'),
    ],
    [
      'derived-once',
      'what was derived before is not linked again',
      "if (rows.length === 0) throw new Rollback({ status: 'already', derivedId: id });",
      '',
      by(GUARDS, 'is kept from fusing again by the guard contentKey alone'),
      // The schema refuses the second lineage then.
      'SQLSTATE 23505',
    ],
    [
      'derived-conflict',
      'what was derived before is found, not an error',
      'on conflict do nothing\n    returning id`);',
      'returning id`);',
      by(COMMIT, 'content key: a second delivery'),
      'SQLSTATE 23505',
    ],
    [
      'row-count',
      'as many are superseded as were gated, or nothing',
      'if (guards.rowCount && row!.superseded !== coveredIds.length) throw',
      'if (false) throw',
      by(GUARDS, 'is kept from fusing again by the guard rowCount alone'),
    ],
    [
      'supersede-latest',
      'only what is latest is superseded',
      'm.id = covered.id and m.is_latest',
      'm.id = covered.id',
      by(COMMIT, 'row count: fewer rows superseded than gated rolls back'),
    ],
    [
      'journal-before',
      'the journal knows how a source was before',
      "jsonb_build_object('id', s.id), b.image, s.image",
      "jsonb_build_object('id', s.id), s.image, s.image",
      by(COMMIT, 'writes the derived memory, lineage, supersede'),
    ],
    [
      'applied-releases',
      'an applied fusion claims nothing any more',
      'update slowwave.fusion_sources set live = false, superseded = memory_id',
      'update slowwave.fusion_sources set superseded = memory_id',
      by(COMMIT, 'writes the derived memory, lineage, supersede'),
    ],
  ]),
];
