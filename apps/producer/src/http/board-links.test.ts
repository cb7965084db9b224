import { describe, expect, it } from 'vitest';
import { jobLink } from './board-links.ts';

const KEY = 'a'.repeat(64);
const of = { v: 1, tenant: 'default', user: 'ana' } as const;

describe('the link of a job on the board', () => {
  it('leads to its fusion, its run or its user', () => {
    expect(jobLink('fusions', { ...of, key: KEY, tier: 'deep', runId: 'r' })).toEqual({
      displayText: 'Fusion',
      href: `/dashboard/users/ana/fusions/${KEY}`,
    });
    expect(jobLink('adhoc', { ...of, tier: 'deep', why: 'adhoc', runId: 'r-1' }).href).toBe(
      '/dashboard/users/ana/runs/r-1',
    );
    expect(jobLink('deep', { ...of, tier: 'deep', why: 'schedule' }).href).toBe('/dashboard/users/ana');
  });

  it('names the tenant, and cannot be led elsewhere by an id', () => {
    const link = jobLink('deep', {
      v: 1,
      tenant: 'a&b',
      user: '//evil.test/../x',
      tier: 'deep',
      why: 'sweep',
    });
    expect(link.href).toBe('/dashboard/users/%2F%2Fevil.test%2F..%2Fx?tenant=a%26b');
  });

  it('is the dashboard itself of beats and of what is no payload of ours', () => {
    expect(jobLink('ticks', { v: 1, tier: 'deep' }).href).toBe('/dashboard');
    for (const data of [null, 'x', { ...of }, { ...of, tier: 'deep', why: 'adhoc', href: 'javascript:1' }]) {
      expect(jobLink('adhoc', data).href).toBe('/dashboard');
    }
  });
});
