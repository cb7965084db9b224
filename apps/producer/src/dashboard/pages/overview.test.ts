import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seedTenant } from '../../../../../test/fixtures/dashboard-tenant.ts';
import { embeddedStage, HOST, type Stage, signIn } from '../../../../../test/producer/harness.ts';

describe('the overview', { timeout: 60_000 }, () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await embeddedStage();
    // One answer of test-model: 40 tokens in, 20 out.
    await seedTenant(stage.database, 'acme', 'plum');
  }, 60_000);
  afterAll(() => stage.dispose());

  it('shows cost beside tokens by the prices of the configuration', async () => {
    const overview = async (prices: NonNullable<Parameters<Stage['newProducer']>[0]>['prices']) => {
      const { producer } = stage.newProducer({ prices });
      const headers = { ...HOST, ...(await signIn(producer)) };
      const { body } = await producer.app.inject({ url: '/dashboard?tenant=acme', headers });
      return body.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
    };
    const priced = await overview({ 'test-model': { inputDollars: 100_000, outputDollars: 50_000 } });
    expect(priced).toContain('Cost in 7 days $5.00');
    expect(priced).toContain('60 tokens, $5.00');
    const unpriced = await overview(undefined);
    expect(unpriced).toContain('Cost in 7 days not known');
    expect(unpriced).toContain('No price set for test-model');
  });
});
