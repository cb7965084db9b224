import { randomUUID } from 'node:crypto';
import { resolveMemoryInstructionContext } from '@slowwave/workspace';
import { createDocumentCalls } from './documents.ts';
import { createInsightCalls, type InsightParts } from './insights.ts';
import { backendTypes, openPlace } from './places.ts';
import { createProjectionCalls } from './projection.ts';
import { createRunCalls } from './runs.ts';
import { createSettingsCalls } from './settings.ts';
import type { BackendView, WorkspaceCalls } from './types.ts';

/** What workspaces are reached with. */
export interface WorkspaceParts extends InsightParts {
  /** Ids of runs, UUIDs; default random. */
  newId?: () => string;
}

/** Workspaces as this process can reach them. */
export function createWorkspaceCalls(options: WorkspaceParts): WorkspaceCalls {
  const { newId = randomUUID } = options;
  return {
    ...createSettingsCalls(options),
    ...createDocumentCalls(options),
    ...createInsightCalls(options),
    ...createProjectionCalls({ ...options, newId }),
    ...createRunCalls(options),
    async backend(of): Promise<BackendView> {
      const { backend, workspace } = await openPlace(options, of, 'reader');
      const { type, name, capabilities } = backend;
      const { memoryEnabled } = workspace;
      const instructionContext = resolveMemoryInstructionContext(
        { memoryEnabled, memoryBackendType: type },
        { resolve: () => backend },
      );
      return { type, name, capabilities, types: backendTypes(), instructionContext };
    },
  };
}
