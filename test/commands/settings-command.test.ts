import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { settingsCommand } from '../../apps/standalone/src/settings-command.ts';
import { COMMAND_WAYS, type CommandStage, openCommandStage } from '../fixtures/command-stage.ts';

describe.each(COMMAND_WAYS)('slowwave settings, %s', (way) => {
  let stage: CommandStage;
  beforeAll(async () => {
    stage = await openCommandStage(way);
  });
  afterAll(() => stage?.close());

  const settings = (batches?: 'allow' | 'forbid', tenant = 'default', json = false) =>
    stage.run((context) =>
      settingsCommand(context, { tenant, json, ...(batches === undefined ? {} : { batches }) }),
    );

  it('shows what a tenant allows, and says it for that tenant alone', async () => {
    expect(await settings()).toEqual([
      'batches: allowed, where the service is configured to use them (SLOWWAVE_BATCH)',
    ]);
    const forbidden = ['batches: forbidden, every question is asked directly'];
    expect(await settings('forbid')).toEqual(forbidden);
    expect(await settings()).toEqual(forbidden);
    expect(await settings(undefined, 'other', true)).toEqual(['{"tenant":"other","batches":true}']);
    expect(await settings('allow', 'default', true)).toEqual(['{"tenant":"default","batches":true}']);
  });
});
