import { judgeHashOf, storeJudgeExam } from '@slowwave/db';
import { askModel, EXAM, EXAM_VERSION, type LLMProvider, ModelError, takeExam } from '@slowwave/fusion';
import { createModels } from '@slowwave/models';
import { anywhere, type CommandContext } from './anywhere.ts';
import { EXIT, UsageError } from './exit.ts';
import type { JudgeArguments } from './judge-options.ts';

/** Puts the configured judge through the shipped exam and keeps the result in the database. @returns exit code: 1 when it failed */
export async function checkJudgeCommand(context: CommandContext, { json }: JudgeArguments): Promise<number> {
  const { config, terminal } = context;
  const judge = judgeIn(context);
  return anywhere(context, {
    service: async () => {
      throw new UsageError(
        'a running service has the database: the result of the exam could not be kept; stop it first',
      );
    },
    async database(database) {
      const model = judge.model ?? judge.name;
      if (!json) terminal.line(`asking ${model} about ${EXAM.length} statements whose verdict is known`);
      const result = await takeExam(
        ({ request }) => askModel(judge, request),
        judgeHashOf(EXAM_VERSION),
        (done) => {
          if (!json) terminal.progress(`${done} of ${EXAM.length} statements`, done / EXAM.length);
        },
      ).catch((error: unknown) => {
        terminal.clear();
        if (error instanceof ModelError) return error;
        throw error;
      });
      if (result instanceof ModelError) {
        terminal.line(
          `the exam was not taken: ${result.message}. Nothing was kept; slowwave doctor --model says more`,
        );
        return EXIT.failed;
      }
      terminal.clear();
      await database.asDispatcher((tx) => storeJudgeExam(tx, { model, result, at: Date.now() }));
      const { passed, good, goodAccepted, unsafe, unsafeAccepted, wrong } = result;
      if (json) {
        terminal.line(JSON.stringify({ model, ...result }));
        return passed ? EXIT.ok : EXIT.failed;
      }
      terminal.line(`good statements accepted:   ${goodAccepted} of ${good}`);
      terminal.line(`unsafe statements accepted: ${unsafeAccepted} of ${unsafe}`);
      for (const at of wrong) terminal.line(`  wrong about: ${EXAM[at]!.statement}`);
      terminal.line(
        passed
          ? `${model} passed: statements without anything easily misread need one vote from now on`
          : `${model} failed: it judges nothing, and only repetitions are joined; name another with SLOWWAVE_JUDGE_MODEL`,
      );
      if (config.judge?.on === false) terminal.line('SLOWWAVE_JUDGE is off: nobody is asked in service');
      return passed ? EXIT.ok : EXIT.failed;
    },
  });
}

function judgeIn({ config }: CommandContext): LLMProvider {
  if (config.judge !== null) {
    const models = createModels({
      model: config.model,
      embedder: config.embedder,
      steps: { ...config.steps, judge: config.judge },
    });
    const judge = models.providers.judge ?? models.providers.nrem ?? models.provider;
    if (judge) return judge;
  }
  throw new UsageError(
    'there is no language model that could judge: set SLOWWAVE_MODEL_PROVIDER to anthropic or openai, and what belongs to it',
  );
}
