import { InvalidInsightSchedule, isInsightSchedule } from './cron.ts';
import { scheduledPrompt } from './prompts.ts';
import { DEFAULT_INSIGHT_SCHEDULE, INSIGHT_EXTRACTION_SCHEDULE_NAME, type InsightSettings } from './types.ts';

/** A step of a scheduled task, as a store of automations takes it. */
export interface AutomationStep {
  id: string;
  type: 'ai-prompt';
  name: string;
  prompt: string;
  timeoutMs: number;
  modelProvider?: string;
  modelId?: string;
}

export interface ScheduledTaskCreateInput {
  name: string;
  description?: string;
  scheduleType: 'custom';
  cronExpression?: string;
  /** Unused where there are steps. */
  command: string;
  enabled?: boolean;
  steps?: AutomationStep[];
}

/** A store of automations, as far as insights need one. */
export interface AutomationStore<Task extends { id: string; name: string } = { id: string; name: string }> {
  listSchedules(): Promise<Task[]>;
  createSchedule(input: ScheduledTaskCreateInput): Promise<Task>;
  updateSchedule(id: string, changes: Partial<ScheduledTaskCreateInput>): Promise<Task>;
  deleteSchedule(id: string): Promise<unknown>;
}

const TIMEOUT_MS = 120_000;

/** The scheduled task that extracts insights. The model is named only when both its provider and its id are given. */
export function createInsightExtractionAutomation(
  settings: InsightSettings,
  modelProvider?: string,
  modelId?: string,
): ScheduledTaskCreateInput {
  const model = modelProvider && modelId ? { modelProvider, modelId } : {};
  return {
    name: INSIGHT_EXTRACTION_SCHEDULE_NAME,
    description: 'Draws insights from the working memory and prunes it',
    scheduleType: 'custom',
    cronExpression: settings.insightExtractionSchedule ?? DEFAULT_INSIGHT_SCHEDULE,
    command: '',
    enabled: true,
    steps: [
      {
        id: 'memory-insight-extraction',
        type: 'ai-prompt',
        name: 'Extract Memory Insights and Prune',
        prompt: scheduledPrompt(),
        ...model,
        timeoutMs: TIMEOUT_MS,
      },
    ],
  };
}

/**
 * Brings the scheduled task of a store in line with the settings: made, changed, or removed when insights are off.
 * @returns the task; undefined when there is none
 * @throws InvalidInsightSchedule
 */
export async function syncInsightExtractionAutomation<Task extends { id: string; name: string }>(
  store: AutomationStore<Task>,
  settings: InsightSettings,
): Promise<Task | undefined> {
  const tasks = (await store.listSchedules()).filter(({ name }) => name === INSIGHT_EXTRACTION_SCHEDULE_NAME);
  if (!settings.insightExtractionEnabled) {
    for (const { id } of tasks) await store.deleteSchedule(id);
    return undefined;
  }
  const input = createInsightExtractionAutomation(settings);
  const { scheduleType, cronExpression = '', command, steps, enabled } = input;
  if (!isInsightSchedule(cronExpression)) throw new InvalidInsightSchedule(cronExpression);
  const [task] = tasks;
  if (!task) return store.createSchedule(input);
  return store.updateSchedule(task.id, {
    scheduleType,
    cronExpression,
    command,
    steps: steps ?? [],
    enabled: enabled ?? true,
  });
}
