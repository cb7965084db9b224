import { plainLine } from './bullet.ts';
import { INSIGHT_CATEGORIES, type MemoryAuditReport } from './types.ts';

const MARKS = { healthy: '✅', warning: '⚠️', issues: '❌' } as const;
const mark = (yes: boolean) => (yes ? '✓' : '✗');
const item = (name: string, value: string | number) => `- **${name}:** ${value}`;

function memoryLines({ workingMemory, insightsMemory }: MemoryAuditReport): string[] {
  const { categories, lastUpdated } = insightsMemory;
  return [
    '## Working Memory',
    item('Exists', mark(workingMemory.exists)),
    item('Size', `${workingMemory.size} characters`),
    item('Sections', workingMemory.sectionCount),
    '',
    '## Insights Memory',
    item('Exists', mark(insightsMemory.exists)),
    item('Size', `${insightsMemory.size} characters`),
    item('Total Insights', insightsMemory.insightCount),
    '- **By Category:**',
    ...INSIGHT_CATEGORIES.map((category) => `  - ${category}: ${categories[category]}`),
    ...(lastUpdated === undefined ? [] : [item('Last Updated', plainLine(lastUpdated))]),
    '',
  ];
}

function extractionLines({ extraction, pruning }: MemoryAuditReport): string[] {
  const { runAt, success, insightCount, duplicateCount, skippedCount, summary, error } = extraction;
  const ran = [
    item('Run At', plainLine(runAt)),
    item('Success', mark(success)),
    item('Insights Extracted', insightCount),
    item('Duplicates', duplicateCount),
    item('Skipped', skippedCount),
    item('Summary', plainLine(summary)),
    ...(error === undefined ? [] : [item('Error', plainLine(error))]),
  ];
  const { applied, reason, originalSize, newSize, sizeDelta } = pruning;
  const sizes = [
    item('Size Change', `${originalSize} → ${newSize} characters`),
    item('Delta', `${sizeDelta > 0 ? '+' : ''}${sizeDelta} characters`),
  ];
  return [
    '## Last Extraction',
    ...(runAt === '' ? ['- No extraction has been recorded'] : ran),
    '',
    '## Memory Pruning',
    item('Applied', `${mark(applied)} ${applied ? 'Yes' : 'No'}`),
    item('Reason', plainLine(reason)),
    ...(applied ? sizes : []),
    '',
  ];
}

/** The report as the Markdown of memory-audit.md. Texts out of the run stay on their lines. */
export function renderMemoryAuditMarkdown(report: MemoryAuditReport): string {
  const checks = report.checks.flatMap(({ passed, name, details }) => [
    `### ${mark(passed)} ${plainLine(name)}`,
    `**${plainLine(details)}**`,
    '',
  ]);
  return [
    '# Memory Audit Report',
    '',
    `**Generated:** ${report.generatedAt}`,
    `**Health:** ${MARKS[report.health]} ${report.health}`,
    '',
    ...memoryLines(report),
    ...extractionLines(report),
    '## Audit Checks',
    ...checks,
  ].join('\n');
}
