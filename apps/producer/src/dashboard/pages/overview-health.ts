import { TIERS } from '@slowwave/fusion';
import type { Observation } from '../../http/observe.ts';
import { numberText } from '../format.ts';
import { type Html, html } from '../html.ts';
import { card, factsOf } from '../parts.ts';
import { codeText, toned } from '../words.ts';

/** What stands in the way of the service doing its work, in words. */
function reasonsOf({ load, ping, late, workers }: Observation): string[] {
  const reasons: string[] = [];
  if (!load.ok) reasons.push(`the database does not answer (${codeText(load.reason)})`);
  if (!ping.ok) reasons.push(`the queue does not answer (${codeText(ping.reason)})`);
  if (!late.ok) reasons.push(`the ticks cannot be seen (${codeText(late.reason)})`);
  else if (late.value.length > 0) reasons.push(`the ticks of ${late.value.join(' and ')} are late`);
  if (workers !== null && !workers.ok)
    reasons.push(`the workers do not answer (${codeText(workers.reason)})`);
  if (workers?.ok && !workers.value.ok) reasons.push(...workers.value.reasons);
  return reasons;
}

export function healthNotice(seen: Observation): Html | null {
  const reasons = reasonsOf(seen);
  if (reasons.length === 0) return null;
  return html`<div class="notice bad"><p><strong>Not ready:</strong> ${reasons.join('; ')}.</p></div>`;
}

export function healthCard(seen: Observation): Html {
  const { load, ping, late, workers } = seen;
  const up = (ok: boolean, good: string, bad: string) =>
    ok ? toned('good', '✓', good) : toned('bad', '✗', bad);
  const perTier = (pick: 'overdue' | 'quarantined' | 'paused') =>
    load.ok ? TIERS.map((tier) => `${tier} ${numberText(load.value[tier][pick])}`).join(', ') : 'not known';
  const paused = load.ok ? TIERS.filter((tier) => load.value[tier].tierPaused) : [];
  const facts: [string, Html | string][] = [
    ['Database', up(load.ok, 'answers', 'does not answer')],
    ['Queue', up(ping.ok, 'answers', 'does not answer')],
    [
      'Ticks',
      up(
        late.ok && late.value.length === 0,
        'on time',
        late.ok ? `late: ${late.value.join(', ')}` : 'not known',
      ),
    ],
    ...(workers === null
      ? []
      : [['Workers here', up(workers.ok && workers.value.ok, 'ready', 'not ready')] as [string, Html]]),
    ['Overdue', perTier('overdue')],
    ['In quarantine', perTier('quarantined')],
    ['Paused users', perTier('paused')],
    ...(paused.length > 0 ? [['Paused for all', paused.join(', ')] as [string, string]] : []),
  ];
  return card(
    { id: 'health', title: 'Health of the service', class: 'w6', aside: 'all tenants' },
    factsOf(facts),
  );
}
