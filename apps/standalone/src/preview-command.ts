import type { CommandContext } from './anywhere.ts';
import { askRun, notEnded } from './ask-run.ts';
import { EXIT } from './exit.ts';
import { previewLines } from './review-lines.ts';

export interface PreviewArguments {
  tenant: string;
  user: string;
  tier: 'deep' | 'sleep';
  timeoutMs: number;
  json: boolean;
}

/** Shows what a run would do, without doing it. @returns exit code */
export async function previewCommand(context: CommandContext, given: PreviewArguments): Promise<number> {
  const { terminal } = context;
  if (!given.json) terminal.progress(`looking at what ${given.tier} would do`);
  const { runId, answer, view } = await askRun(context, { ...given, preview: true, wait: true });
  terminal.clear();
  if (answer === null || view === null) {
    if (given.json) terminal.line(JSON.stringify({ runId, status: answer?.status ?? 'requested' }));
    else terminal.error(notEnded(runId, given.timeoutMs));
    return EXIT.failed;
  }
  if (given.json) terminal.line(JSON.stringify({ ...view, report: answer.report }));
  else for (const line of previewLines(view, answer.report, terminal)) terminal.line(line);
  return view.status === 'completed' ? EXIT.ok : EXIT.failed;
}
