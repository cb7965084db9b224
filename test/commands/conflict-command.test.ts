import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Config, readConfig } from '@slowwave/config';
import { type ConflictView, type Database, listConflicts } from '@slowwave/db';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CommandContext } from '../../apps/standalone/src/anywhere.ts';
import {
  conflictPolicyCommand,
  conflictsCommand,
  settleCommand,
} from '../../apps/standalone/src/conflict-command.ts';
import { EXIT } from '../../apps/standalone/src/exit.ts';
import { explain } from '../../apps/standalone/src/explain.ts';
import type { Service } from '../../apps/standalone/src/service.ts';
import { COMMAND_WAYS, startOwnService } from '../fixtures/command-stage.ts';
import { seedConflict } from '../fixtures/conflicts.ts';
import { openMigrated } from '../fixtures/in-memory.ts';

const logger = pino({ level: 'silent' });
const tenant = 'default';
const SAID = Date.UTC(2026, 4, 1, 12);

describe.each(COMMAND_WAYS)('conflicts %s', (way) => {
  let folder: string;
  let config: Config;
  let service: Service | null = null;
  let database: Database | null = null;
  const beside = <T>(work: (database: Database) => Promise<T>) => work((service ?? { database }).database!);

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'slowwave conflicts '));
    config = readConfig({ SLOWWAVE_DATA_DIR: path.join(folder, 'data'), SLOWWAVE_HTTP_PORT: '0' });
    if (way === 'through the service') service = await startOwnService(config, logger);
    if (!service) {
      database = await openMigrated();
    }
    for (const user of ['ana', 'ben'])
      await beside((data) => seedConflict(data, { tenant, user, said: SAID }));
  });
  afterAll(async () => {
    await service?.close();
    await database?.close();
    await rm(folder, { recursive: true, force: true });
  });

  function kept(): { context: CommandContext; lines: string[] } {
    const lines: string[] = [];
    const same = (text: string) => text;
    return {
      lines,
      context: {
        config,
        logger,
        terminal: {
          line: (text = '') => void lines.push(text),
          error: (text) => void lines.push(`error: ${text}`),
          progress: () => {},
          clear: () => {},
          bold: same,
          dim: same,
          columns: null,
        },
        ...(database ? { open: async () => ({ ...database!, close: async () => {} }) } : {}),
      },
    };
  }
  async function run(command: (context: CommandContext) => Promise<number>): Promise<string[]> {
    const { context, lines } = kept();
    expect(await command(context)).toBe(EXIT.ok);
    return lines;
  }
  const LIST = { tenant, status: 'open' as const, limit: 50, json: false };
  const conflictOf = async (user: string): Promise<ConflictView> => {
    const found = await beside((data) =>
      data.withTenant(tenant, (tx) => listConflicts(tx, { tenant, user, limit: 1 })),
    );
    return found[0]!;
  };

  it('are listed, settled once, and then shown as settled', async () => {
    const { id, a, b } = await conflictOf('ana');
    const keep = a.externalId === 'Oslo' ? 'a' : 'b';
    const [oslo, york] = keep === 'a' ? [a, b] : [b, a];
    const lines = await run((context) => conflictsCommand(context, { ...LIST, user: 'ana' }));
    expect(lines[0]).toBe(`${id} of ana (open, contradictory): home city`);
    expect(lines[1]).toBe('  Two cities.');
    expect(lines.slice(2, 4).sort((x, y) => x.slice(5).localeCompare(y.slice(5)))).toEqual([
      `  ${keep}  “ana lives in Oslo.” (import, 2026-05-02, trust 0.8)`,
      `  ${keep === 'a' ? 'b' : 'a'}  “ana lives in York.” (import, 2026-05-01, trust 0.8)`,
    ]);
    expect(lines[4]).toContain('slowwave settle <conflict> --user <user> --keep a, b or both');
    const given = { conflict: id, tenant, user: 'ana', keep, note: 'she moved', json: false } as const;
    expect(await run((context) => settleCommand(context, given))).toEqual([
      `settled: ${oslo.id} stands, ${york.id} is superseded by it`,
      expect.stringMatching(/^to take it back: slowwave undo [0-9a-f-]{36} --user ana$/),
    ]);
    const { context } = kept();
    const { code, message } = explain(await settleCommand(context, given).catch((error: unknown) => error));
    expect([code, message]).toEqual([
      EXIT.failed,
      'the conflict is settled already: undo what settled it first',
    ]);
    expect(await run((context) => conflictsCommand(context, { ...LIST, user: 'ana' }))).toEqual([
      'nothing waits to be settled',
    ]);
    const all = await run((context) => conflictsCommand(context, { ...LIST, user: 'ana', status: 'all' }));
    expect(all.join('\n')).toContain('[stands]');
    expect(all.at(-1)).toMatch(/^ {2}settled by operator, 2\d{3}-.*Z: she moved$/);
  });

  it('print JSON for programs', async () => {
    const { id } = await conflictOf('ben');
    const [listed] = await run((context) => conflictsCommand(context, { ...LIST, json: true }));
    expect(JSON.parse(listed!)).toMatchObject({ tenant, conflicts: [{ id, user: 'ben', status: 'open' }] });
    const [settled] = await run((context) =>
      settleCommand(context, { conflict: id, tenant, user: 'ben', keep: 'both', json: true }),
    );
    expect(JSON.parse(settled!)).toEqual({
      tenant,
      user: 'ben',
      id,
      winner: null,
      loser: null,
      resolution: 'compatible - both retained',
      changeSetId: expect.any(String),
    });
  });

  it('are settled by a policy from now on', async () => {
    const choose = (policy: 'ask' | 'newest_wins', json = false) =>
      run((context) => conflictPolicyCommand(context, { policy, tenant, user: 'ana', json }));
    expect((await choose('newest_wins'))[0]).toMatch(/^ana: what was said later replaces/);
    expect(await choose('ask', true)).toEqual([`{"tenant":"default","user":"ana","policy":"ask"}`]);
  });

  it('say who or what is not there', async () => {
    const nobody = { tenant, user: 'nobody', json: false };
    for (const attempt of [
      () => conflictPolicyCommand(kept().context, { policy: 'ask', ...nobody }),
      () =>
        settleCommand(kept().context, {
          conflict: '00000000-0000-4000-8000-000000000000',
          keep: 'a',
          ...nobody,
        }),
    ]) {
      const { code, message } = explain(await attempt().catch((thrown: unknown) => thrown));
      expect([EXIT.failed, EXIT.config]).toContain(code);
      expect(message).toMatch(/no (?:such )?(?:user|conflict)/);
    }
  });
});
