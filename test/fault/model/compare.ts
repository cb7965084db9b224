import { deepStrictEqual, ok } from 'node:assert/strict';
import { TIERS, type Tier } from '@slowwave/fusion';
import { factsIn, tokensIn } from '../../fixtures/facts/sentences.ts';
import { textOf } from './answers.ts';
import { readLine, type Ticket } from './line.ts';
import { fusionIdOf, statementIdOf } from './memory.ts';
import { hashOf, type Observed, observe } from './observe.ts';
import type { Service } from './service.ts';
import { fusionsOf, HOUR, type Model, memoriesOf, type UserModel, usersOf } from './state.ts';

/** Names that the model has for what the real one knows by ids. */
export interface Names {
  /** Run ids by their labels. */
  runs: Map<string, string>;
  /** Fusion keys by what they are made of, each user's own. */
  fusions: Map<string, string>;
  /** Tokens by the hash of the sentence that says them. */
  tokens: Map<string, string>;
}

export const newNames = (): Names => ({ runs: new Map(), fusions: new Map(), tokens: new Map() });

/** The service and the model agree in everything that the model knows. @throws where they do not */
export async function compare(model: Model, service: Service, names: Names, when: string): Promise<void> {
  const seen = await observe(
    service.told.database,
    usersOf(model).map(({ tenant }) => tenant),
  );
  learn(model, seen, names);
  adopt(model, seen, when);
  same(readReal(seen, names), readModel(model), when);
  const real = readLine(service.line, (ticket) => named(ticket, names)).map(entryOf);
  const wanted = readLine(model.line, (ticket) => ticket).map(entryOf);
  same(real, wanted, `${when}: the queue`);
  same(service.told.calls, model.calls, `${when}: calls of the language model`);
}

/** @throws with both sides, and what was done before */
export function same(real: unknown, model: unknown, when: string): void {
  try {
    deepStrictEqual(real, model);
  } catch (error) {
    throw new Error(`${when}: ${(error as Error).message}`);
  }
}

function learn(model: Model, seen: Observed, names: Names): void {
  for (const user of usersOf(model)) {
    const runs = seen.runs.filter((run) => run.user === user.name);
    // In the order in which they came: one that begins late bears the time of its job.
    let known = runs.filter(({ id }) => names.runs.has(id)).length;
    for (const { id } of runs) if (!names.runs.has(id)) names.runs.set(id, `${user.name} run ${++known}`);
    for (const { fact } of memoriesOf(user)) names.tokens.set(hashOf(textOf(fact)), fact.token);
  }
  // A statement is named after its request.
  for (const { key, user, tier, request, sources } of seen.fusions.sort(requestsFirst)) {
    const full = `${user} ${key}`;
    if (names.fusions.has(full)) continue;
    const members = sources.map(({ name, hash }) => ({ name, token: names.tokens.get(hash) ?? '?' }));
    const asked =
      request === null ? null : (names.fusions.get(`${user} ${request}`) ?? `of nothing: ${request}`);
    names.fusions.set(
      full,
      asked === null
        ? fusionIdOf(tier, members)
        : statementIdOf(
            asked,
            members.map(({ name }) => name),
          ),
    );
  }
}

const requestsFirst = (one: { request: string | null }, other: { request: string | null }): number =>
  Number(one.request !== null) - Number(other.request !== null);

/** Due times that the model does not work out are taken over, once they keep what is promised of them; and who lacks a vector. */
function adopt(model: Model, seen: Observed, when: string): void {
  for (const { user, tier, due, lastSuccess } of seen.tiers) {
    const state = model.users.get(user)!.tiers[tier];
    const at = due ?? Number.POSITIVE_INFINITY;
    if (Number.isNaN(state.dueAt)) {
      const [from, to] = bounds(tier, lastSuccess, model.at);
      ok(at >= from, `${when}: ${user} is due for ${tier} too early`);
      ok(at <= to, `${when}: ${user} is due for ${tier} too late`);
      state.dueAt = at;
    } else if (tier === 'light') state.dueAt = at;
  }
  for (const user of usersOf(model))
    user.bare = seen.memories.some(
      (memory) => memory.user === user.name && memory.latest && !memory.embedded,
    );
}

function bounds(tier: Tier, lastSuccess: number | null, at: number): [number, number] {
  if (tier === 'deep') return [at, at + 6 * HOUR];
  if (tier === 'light') return [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  return lastSuccess === null ? [at, at + 24 * HOUR] : [lastSuccess + 20 * HOUR, lastSuccess + 26 * HOUR];
}

interface View {
  lease: object;
  quarantine: string | null;
  tiers: Partial<Record<Tier, object>>;
  runs: object[];
  memories: Record<string, object>;
  derived: Record<string, string[]>;
  fusions: Record<string, object>;
}

const sorted = (values: Iterable<string>): string[] => [...values].sort();

function readModel(model: Model): Record<string, View> {
  return Object.fromEntries(usersOf(model).map((user) => [user.name, viewOf(user)]));
}

function viewOf(user: UserModel): View {
  const fusions = fusionsOf(user);
  return {
    lease: user.lease,
    quarantine: user.quarantineCode,
    tiers: Object.fromEntries(
      TIERS.map((tier) => {
        const {
          dueAt: due,
          nextAttemptAt: next,
          lastAttemptAt,
          lastSuccessAt,
          enqueuedAt,
          requestedRun,
          ...rest
        } = user.tiers[tier];
        const times = {
          due,
          next,
          lastAttempt: lastAttemptAt,
          lastSuccess: lastSuccessAt,
          enqueued: enqueuedAt,
        };
        return [tier, { ...times, requested: requestedRun, ...rest }];
      }),
    ),
    runs: user.runs.map(({ errorCode: code, ...run }) => ({ ...run, code })),
    memories: Object.fromEntries(
      memoriesOf(user).map(({ name, fact, version, by }) => [name, { token: fact.token, version, by }]),
    ),
    derived: Object.fromEntries(
      fusions.flatMap(({ id, status, applied }) =>
        status === 'applied' ? [[id, sorted(applied!.facts.map(({ token }) => token))]] : [],
      ),
    ),
    fusions: Object.fromEntries(
      fusions.map(
        ({ id, request, status, live, superseded, fence, attempt, answerState, errorCode, runLabel }) => [
          id,
          {
            request,
            status,
            live: sorted(live),
            superseded: sorted(superseded),
            fence,
            attempt,
            answerState,
            code: errorCode,
            run: runLabel,
          },
        ],
      ),
    ),
  };
}

function readReal(seen: Observed, names: Names): Record<string, View> {
  const users = [...new Set(seen.tiers.map(({ user }) => user))];
  return Object.fromEntries(users.map((user) => [user, realView(user, seen, names)]));
}

function realView(user: string, seen: Observed, names: Names): View {
  const mine = <Row extends { user: string }>(rows: readonly Row[]): Row[] =>
    rows.filter((row) => row.user === user);
  const label = (run: string | null): string | null => (run === null ? null : (names.runs.get(run) ?? run));
  const idOf = (key: string): string => names.fusions.get(`${user} ${key}`) ?? key;
  const { user: _user, ...lease } = mine(seen.leases)[0] ?? { user, fence: 0, state: 'none' };
  const standing = new Map(
    mine(seen.fusions).flatMap(({ status, derived, key }) =>
      status === 'applied' ? [[derived, idOf(key)]] : [],
    ),
  );
  const memories = mine(seen.memories);
  const order = [...names.runs.keys()];
  const runs = mine(seen.runs).sort((a, b) => order.indexOf(a.id) - order.indexOf(b.id));
  return {
    lease,
    quarantine: mine(seen.tiers)[0]?.quarantine ?? null,
    tiers: Object.fromEntries(
      mine(seen.tiers).map(({ user: _of, tier, quarantine: _q, due, requested, ...state }) => [
        tier,
        { ...state, due: due ?? Number.POSITIVE_INFINITY, requested: label(requested) },
      ]),
    ),
    runs: runs.map(({ user: _of, id, ...run }) => ({ label: label(id), ...run })),
    memories: Object.fromEntries(
      memories.flatMap(({ name, content, version, latest, by }) =>
        name === null
          ? []
          : [
              [
                name,
                {
                  token: factsIn(content)
                    .map(({ token }) => token)
                    .join(),
                  version,
                  by: latest ? null : (standing.get(by ?? '') ?? `nobody: ${by}`),
                },
              ],
            ],
      ),
    ),
    derived: Object.fromEntries(
      memories.flatMap(({ name, id, content, latest }) =>
        name === null
          ? [[latest ? (standing.get(id) ?? `of nothing: ${id}`) : `away: ${id}`, sorted(tokensIn(content))]]
          : [],
      ),
    ),
    fusions: Object.fromEntries(
      mine(seen.fusions).map(({ key, request, status, fence, attempt, answerState, code, run, sources }) => [
        idOf(key),
        {
          request: request === null ? null : idOf(request),
          status,
          live: sorted(sources.flatMap(({ name, live }) => (live ? [name] : []))),
          superseded: sorted(sources.flatMap(({ name, superseded }) => (superseded ? [name] : []))),
          fence,
          attempt,
          answerState,
          code,
          run: label(run),
        },
      ]),
    ),
  };
}

export const named = (ticket: Ticket, names: Names): Ticket => ({
  ...ticket,
  run: ticket.run === null ? null : (names.runs.get(ticket.run) ?? ticket.run),
  fusion:
    ticket.fusion === null ? null : (names.fusions.get(`${ticket.user} ${ticket.fusion}`) ?? ticket.fusion),
});

const entryOf = ({
  label,
  entry,
}: {
  label: string;
  entry: { state: string; attemptsMade: number; starts: number; postponed: number; code: string | null };
}) => {
  const { state, attemptsMade, starts, postponed, code } = entry;
  return { label, state, attemptsMade, starts, postponed, code };
};
