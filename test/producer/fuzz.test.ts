import { ROUTES, type Route } from '@slowwave/api';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBackendInScope } from '../fixtures/backends.ts';
import { anyRequest, type Known } from '../fixtures/endpoints/any-request.ts';
import { readDescribed } from '../fixtures/endpoints/document.ts';
import { type EndpointStage, endpointStage, type Given } from '../fixtures/endpoints/stage.ts';
import { runsInScope } from '../scope.ts';

/** Requests in all; FUZZ_REQUESTS asks for another number and FUZZ_SEED for the same ones again. */
const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? runsInScope({ change: 250, rest: 2_000 }));
const SEED = Number(process.env.FUZZ_SEED ?? Date.now() % 2 ** 31);
const AT_ONCE = 16;
const PER_ROUND = 10;

/** They would take away what the other requests are about; sending one test event waits for an answer. */
const LEFT_OUT = new Set(['forgetUser', 'testWebhook']);

describe('any request', { timeout: 1_200_000 }, () => {
  let stage: EndpointStage;
  beforeAll(async () => {
    stage = await endpointStage(openBackendInScope);
  });
  afterAll(() => stage?.dispose());

  function known(): Known {
    const { ids, north } = stage;
    const change = [ids.memory, ids.fusion, ids.run, ids.changeSet, ids.conflict, ids.workspaceRun];
    return {
      user: [north.user, ids.user],
      id: [...change, 'thing-2', 'thing-3', ids.session],
      key: [ids.fusion, ids.review],
      run: [ids.run, ids.workspaceRun],
      runId: [ids.run, ids.preview],
      memory: [ids.memory],
      fusion: [ids.fusion],
      workspace: [ids.workspace],
      tier: ['light', 'deep', 'sleep'],
      path: ['MEMORY.md', '2026-05-01.md', 'DREAMS.md'],
      before: [ids.changeSet],
    };
  }

  it(`of ${REQUESTS} is answered as the document says, and never by a failure of ours`, async () => {
    console.info(`seed ${SEED}: FUZZ_SEED=${SEED} asks for the same requests again`);
    const described = readDescribed();
    const routes = ROUTES.filter(({ operation }) => !LEFT_OUT.has(operation));
    const { operator, admin, write, read } = stage.tokens;
    // Mostly of those who may do everything: what is refused at the door tries nothing behind it.
    const authorizations = [operator, admin, admin, write, operator, admin, read];
    const statuses = new Map<number, number>();
    const wrong: unknown[] = [];

    async function check(route: Route, given: Given, authorization: string): Promise<void> {
      const told = await stage.ask(route, given, authorization).catch((error: unknown) => {
        wrong.push({ operation: route.operation, given, error: String(error) });
      });
      if (!told) return;
      statuses.set(told.status, (statuses.get(told.status) ?? 0) + 1);
      // An odd value, or another method, can make it a request of another endpoint, or of none.
      const isOther = given.method !== undefined || isUnrouted(told.body);
      const problems = isOther ? [] : described.problemsOf(route.operation, told);
      const failed = told.status >= 500 && told.status !== 503;
      const leaked = told.status >= 400 && told.text.includes(stage.north.canary);
      if (failed || leaked || problems.length > 0) {
        const { status, body } = told;
        wrong.push({
          operation: route.operation,
          given,
          status,
          problems,
          leaked,
          body: failed ? body : undefined,
        });
      }
    }

    let sent = 0;
    for (let round = 0; sent < REQUESTS && wrong.length === 0; round++) {
      const seed = SEED + round;
      const requests = routes
        .flatMap((route) =>
          fc
            .sample(anyRequest(route, known()), { seed, numRuns: PER_ROUND })
            .map((given) => ({ route, given })),
        )
        .slice(0, REQUESTS - sent);
      const waiting = requests.entries();
      const send = async () => {
        for (const [at, { route, given }] of waiting) {
          const authorization =
            route.scope === 'all'
              ? stage.tokens.operator
              : authorizations[(at + round) % authorizations.length]!;
          await check(route, given, authorization);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, send));
      sent += requests.length;
    }
    console.info(sent, 'requests, by status', Object.fromEntries([...statuses].sort(([a], [b]) => a - b)));
    expect(wrong.slice(0, 3)).toEqual([]);
    expect(sent).toBe(REQUESTS);
    // Otherwise nothing would have been asked but the door.
    const succeeded = [...statuses].filter(([status]) => status < 300).reduce((sum, [, n]) => sum + n, 0);
    expect(succeeded).toBeGreaterThan(REQUESTS / 50);
    expect(stage.log.text()).not.toContain(stage.north.canary);
  });
});

function isUnrouted(body: unknown): boolean {
  return (body as { code?: unknown }).code === 'unknown_route';
}
