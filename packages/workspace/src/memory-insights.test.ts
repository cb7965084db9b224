import { mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { textHash } from './files/folder.ts';
import {
  applyMemoryPruning,
  auditOf,
  buildInsightExtractionPrompt,
  createInsightExtractionAutomation,
  generateMemoryAudit,
  getDefaultInsightsTemplate,
  InvalidInsightSchedule,
  MEMORY_AUDIT_PATH,
  MEMORY_AUDIT_STATE_PATH,
  MEMORY_INSIGHTS_PATH,
  MEMORY_WORKING_PATH,
  type MemoryExtractionMetadata,
  parseInsightExtractionResponse,
  processAndAuditInsightExtraction,
  processInsightExtractionRun,
  readInsightsMemory,
  readMemoryAudit,
  readWorkingMemory,
  renderMemoryAuditMarkdown,
  shouldTriggerExtraction,
  syncInsightExtractionAutomation,
  writeInsightsMemory,
  writeWorkingMemory,
} from './memory-insights.ts';

const AT = Date.UTC(2026, 4, 1, 12);
const DAY = 86_400_000;
const RUN_AT = new Date(AT).toISOString();
const WORKING = `## Decisions\n${'- Decided and kept.\n'.repeat(40)}\n## Conventions\n- Short lines.\n\n## Context\n- Over.\n`;
const run = (raw: string | object | undefined, more: object = {}) => ({
  rawResponse: typeof raw === 'object' ? JSON.stringify(raw) : raw,
  stepSuccess: true,
  runAt: RUN_AT,
  ...more,
});
const FOUND = {
  summary: 'One pattern was found.',
  insights: [{ category: 'pattern', content: 'Lines are short.' }],
};

let root: string;
const at = (path: string) => join(root, path);
const textOf = (path: string) => readFile(at(path), 'utf8').catch(() => null);
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'slowwave-memory-insights-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

describe('files of insights', () => {
  it('are read and written in the memory folder, for their owner alone', async () => {
    expect(await readWorkingMemory(root)).toBe('');
    expect(await readInsightsMemory(root)).toBeNull();
    expect(await readMemoryAudit(root)).toBeNull();
    await writeWorkingMemory(root, 'é');
    await writeInsightsMemory(root, 'x');
    expect([await readWorkingMemory(root), await readInsightsMemory(root)]).toEqual(['é', 'x']);
    expect((await stat(at(MEMORY_INSIGHTS_PATH))).mode & 0o777).toBe(0o600);
  });

  it('move from their old place when they are read, unless there is a newer one, and lose the old one when written', async () => {
    await mkdir(at('.fusion'));
    const old = at('.fusion/memory-insights.md');
    await writeFile(old, 'old');
    expect(await readInsightsMemory(root)).toBe('old');
    expect([await textOf('.fusion/memory-insights.md'), await textOf(MEMORY_INSIGHTS_PATH)]).toEqual([
      null,
      'old',
    ]);
    await writeFile(old, 'older');
    expect(await readInsightsMemory(root)).toBe('old');
    await writeInsightsMemory(root, 'new');
    expect(await textOf('.fusion/memory-insights.md')).toBeNull();
  });

  it('follow no link, in the old place either', async () => {
    const outside = await mkdtemp(join(tmpdir(), 'slowwave-outside-'));
    await writeFile(join(outside, 'secret'), 'secret');
    await mkdir(at('.fusion'));
    await symlink(join(outside, 'secret'), at('.fusion/memory-insights.md'));
    await expect(readInsightsMemory(root)).rejects.toMatchObject({ code: 'UNSUPPORTED' });
    await writeInsightsMemory(root, 'mine');
    expect(await readFile(join(outside, 'secret'), 'utf8')).toBe('secret');
    await rm(outside, { recursive: true });
  });
});

describe('a run of a project', () => {
  beforeEach(() => writeWorkingMemory(root, WORKING));

  it('merges, prunes what may go, and says so in the report', async () => {
    const prunedMemory = WORKING.replace('\n## Context\n- Over.\n', '');
    const report = await processAndAuditInsightExtraction(root, run({ ...FOUND, prunedMemory }));
    expect(report).toMatchObject({
      extraction: { success: true, insightCount: 1 },
      pruning: { applied: true },
    });
    expect(await textOf(MEMORY_WORKING_PATH)).toBe(prunedMemory.trim());
    expect(await textOf(MEMORY_INSIGHTS_PATH)).toContain('- Lines are short.');
    expect(await textOf(MEMORY_AUDIT_PATH)).toContain('Pruning applied');
    expect((await generateMemoryAudit(root)).extraction).toEqual(report.extraction);
  });

  it.each([
    [
      'cannot be read',
      run('no answer at all'),
      /^Failed to parse insight extraction response as JSON: not_json$/,
    ],
    ['is missing', run(undefined), /^Step did not produce output$/],
    ['is that of a step that failed', run(FOUND, { stepSuccess: false, error: 'timeout' }), /^timeout$/],
  ])(
    'IN-03 an answer that %s fails it, the files stay byte-equal and the report says failed',
    async (_name, input, error) => {
      await writeInsightsMemory(root, 'mine\r\n');
      const report = await processAndAuditInsightExtraction(root, input);
      expect(report.extraction).toMatchObject({ success: false, error: expect.stringMatching(error) });
      expect(report.health).toBe('issues');
      expect([await textOf(MEMORY_WORKING_PATH), await textOf(MEMORY_INSIGHTS_PATH)]).toEqual([
        WORKING,
        'mine\r\n',
      ]);
      expect((await processInsightExtractionRun(root, input)).success).toBe(false);
    },
  );

  it('IN-03 makes no insights file where a run failed', async () => {
    await processInsightExtractionRun(root, run('no answer'));
    expect(await textOf(MEMORY_INSIGHTS_PATH)).toBeNull();
  });

  it('no text of an answer is in an error', () => {
    expect(() => parseInsightExtractionResponse('secret {"secret')).toThrow(/^(?!.*secret)/);
  });

  it('IN-04 an insight twice in one answer is added once', async () => {
    const twice = { ...FOUND, insights: [...FOUND.insights, ...FOUND.insights] };
    expect(await processInsightExtractionRun(root, run(twice))).toMatchObject({
      newInsightCount: 1,
      duplicateCount: 1,
    });
  });

  it('IN-07 IN-08 a pruning that loses much, or of another text, changes nothing', async () => {
    const little = '## Decisions\n\n## Conventions';
    expect(await applyMemoryPruning(root, little)).toMatchObject({
      applied: false,
      status: 'rejected',
      sizeDelta: 0,
    });
    const fine = WORKING.replace('- Over.', '');
    const other = { expectedSha256: textHash('another text') };
    expect(await applyMemoryPruning(root, fine, other)).toMatchObject({ applied: false });
    expect(await textOf(MEMORY_WORKING_PATH)).toBe(WORKING);
    expect(await applyMemoryPruning(root, fine, { expectedSha256: textHash(WORKING) })).toMatchObject({
      applied: true,
    });
  });

  it('never throws: files that cannot be read are a failed run', async () => {
    await rm(at(MEMORY_WORKING_PATH));
    await mkdir(at(MEMORY_WORKING_PATH));
    const report = await processAndAuditInsightExtraction(root, run(FOUND));
    expect(report.extraction).toMatchObject({ success: false, error: expect.stringMatching(/^[A-Z_]+$/) });
  });

  it('an unreadable state is as good as none', async () => {
    await writeFile(at(MEMORY_AUDIT_STATE_PATH), '{"extraction": {"runAt": 7}, "pruning": []');
    expect((await generateMemoryAudit(root)).extraction.runAt).toBe('');
    await writeFile(at(MEMORY_AUDIT_STATE_PATH), '{"extraction": {"runAt": 7}, "pruning": []}');
    expect((await generateMemoryAudit(root)).extraction.runAt).toBe('');
  });
});

describe('the report', () => {
  const extraction: MemoryExtractionMetadata = {
    runAt: RUN_AT,
    success: true,
    insightCount: 1,
    duplicateCount: 0,
    skippedCount: 0,
    summary: 'One pattern was found.',
  };
  const insights = `${getDefaultInsightsTemplate(new Date(AT))}`.replace(
    '## Principles',
    '- One.\n\n## Principles',
  );
  const good = { working: WORKING, insights, extraction, at: AT };
  const skipped = { applied: false, reason: 'r', sizeDelta: 0, originalSize: 1, newSize: 1 };

  it('IN-11 has the fields of the files, the run and its checks', () => {
    const report = auditOf(good);
    expect(report).toMatchObject({
      generatedAt: RUN_AT,
      workingMemory: { exists: true, size: WORKING.length, sectionCount: 3 },
      insightsMemory: {
        exists: true,
        insightCount: 1,
        categories: { pattern: 1, context: 0 },
        lastUpdated: '2026-05-01',
      },
      extraction,
      pruning: { applied: false },
      health: 'healthy',
    });
    expect(report.checks.map(({ id }) => id)).toEqual([
      'working-memory-exists',
      'working-memory-content',
      'working-memory-sections',
      'insights-memory-exists',
      'insights-memory-content',
      'recent-extraction',
      'extraction-summary',
    ]);
    const pruned = auditOf({ ...good, pruning: skipped });
    expect(pruned.checks.at(-1)).toMatchObject({ id: 'pruning-applied', passed: false });
  });

  it.each([
    ['healthy', {}],
    ['healthy', { pruning: { ...skipped, status: 'nothing' as const } }],
    ['healthy', { pruning: { ...skipped, applied: true } }],
    ['warning', { pruning: { ...skipped, status: 'rejected' as const } }],
    ['warning', { insights: getDefaultInsightsTemplate() }],
    ['warning', { extraction: { ...extraction, summary: 'short' } }],
    ['warning', { working: '## Likes\n- a\n## More\n- b' }],
    ['issues', { working: null }],
    ['issues', { insights: null }],
    ['issues', { extraction: undefined }],
    ['issues', { extraction: { ...extraction, success: false, error: 'not_json' } }],
    ['issues', { at: AT + 7 * DAY }],
    ['issues', { working: 'x', insights: getDefaultInsightsTemplate() }],
  ])('IN-10 IN-11 is %s for %o', (health, change) => {
    expect(auditOf({ ...good, ...change }).health).toBe(health);
  });

  it('IN-11 is rendered with a heading for each part, and texts of the run stay on their lines', () => {
    const nasty = { ...extraction, summary: 'a\n## Fake\n<!-- slowwave:begin -->', error: 'e' };
    const lines = renderMemoryAuditMarkdown(auditOf({ ...good, extraction: nasty })).split('\n');
    expect(lines.filter((line) => /^##? /.test(line))).toEqual([
      '# Memory Audit Report',
      '## Working Memory',
      '## Insights Memory',
      '## Last Extraction',
      '## Memory Pruning',
      '## Audit Checks',
    ]);
    expect(lines.join('\n')).not.toContain('<!--');
    expect(renderMemoryAuditMarkdown(auditOf({ working: null, insights: null, at: AT }))).toContain(
      '❌ issues',
    );
  });
});

describe('when and how', () => {
  it('an extraction is due by interval and growth', () => {
    const now = new Date(AT);
    const ago = (ms: number) => new Date(AT - ms);
    expect(shouldTriggerExtraction(undefined, {}, 0, undefined, now)).toBe(false);
    expect(shouldTriggerExtraction(undefined, {}, 1, undefined, now)).toBe(true);
    expect(shouldTriggerExtraction(ago(DAY - 1), {}, 5_000, 0, now)).toBe(false);
    expect(shouldTriggerExtraction(ago(DAY), {}, 1_999, 1_000, now)).toBe(false);
    expect(shouldTriggerExtraction(ago(DAY), {}, 2_000, 1_000, now)).toBe(true);
    expect(
      shouldTriggerExtraction(ago(1_000), { insightExtractionMinIntervalMs: 1_000 }, 1, undefined, now),
    ).toBe(true);
  });

  it('the prompts show what there is and ask for the answer that is read', () => {
    const prompt = buildInsightExtractionPrompt('the notes', 'the known ones');
    for (const part of ['the notes', '## Existing Insights', 'the known ones', '"insights"', 'pitfall'])
      expect(prompt).toContain(part);
    expect(buildInsightExtractionPrompt('n', null)).not.toContain('Existing');
    const [step] = createInsightExtractionAutomation({}, 'a', 'b').steps!;
    expect(step).toMatchObject({
      id: 'memory-insight-extraction',
      timeoutMs: 120_000,
      modelProvider: 'a',
      modelId: 'b',
    });
    for (const part of [MEMORY_WORKING_PATH, MEMORY_INSIGHTS_PATH, 'prunedMemory'])
      expect(step!.prompt).toContain(part);
    expect(createInsightExtractionAutomation({}, 'a').steps![0]).not.toHaveProperty('modelProvider');
  });

  it('IN-12 the scheduled task of a store is made, changed, removed, and never one of a schedule that is none', async () => {
    const tasks = new Map<string, { id: string; name: string; cronExpression?: string | undefined }>();
    const store = {
      listSchedules: async () => [...tasks.values()],
      createSchedule: async ({ name, cronExpression }: { name: string; cronExpression?: string }) => {
        const task = { id: `${tasks.size}`, name, cronExpression };
        tasks.set(task.id, task);
        return task;
      },
      updateSchedule: async (id: string, { cronExpression }: { cronExpression?: string }) =>
        Object.assign(tasks.get(id)!, { cronExpression }),
      deleteSchedule: async (id: string) => tasks.delete(id),
    };
    const sync = (insightExtractionEnabled: boolean, insightExtractionSchedule?: string) =>
      syncInsightExtractionAutomation(store, { insightExtractionEnabled, insightExtractionSchedule });
    expect(await sync(false)).toBeUndefined();
    expect(await sync(true)).toMatchObject({ cronExpression: '0 2 * * *' });
    expect(await sync(true, '0 3 * * *')).toMatchObject({ id: '0', cronExpression: '0 3 * * *' });
    await expect(sync(true, 'soon')).rejects.toThrow(InvalidInsightSchedule);
    await expect(sync(true, 'soon')).rejects.toThrow('Invalid insight extraction schedule: soon');
    expect([...tasks.values()]).toHaveLength(1);
    expect(await sync(false)).toBeUndefined();
    expect(tasks.size).toBe(0);
  });
});
