import { PayloadError, parsePayload, type QueueName } from '@slowwave/queue';
import { fusionPage, runPage, userPage } from '../dashboard/visit.ts';

export interface JobLink {
  displayText: string;
  /** A path of this service. */
  href: string;
}

const DASHBOARD: JobLink = { displayText: 'Dashboard', href: '/dashboard' };

/**
 * Where the dashboard shows what a job is about: its fusion, its run, or its user.
 * @param data a job's payload, which an operator may have edited
 * @returns the dashboard itself for a beat, which is about nobody, and for what is no payload of ours
 */
export function jobLink(name: QueueName, data: unknown): JobLink {
  try {
    const payload = parsePayload(name, data);
    if (!('user' in payload)) return DASHBOARD;
    const visit = { tenant: payload.tenant, allTenants: true };
    if ('key' in payload)
      return { displayText: 'Fusion', href: fusionPage(visit, payload.user, payload.key) };
    if (payload.runId !== undefined) {
      return { displayText: 'Run', href: runPage(visit, payload.user, payload.runId) };
    }
    return { displayText: 'User', href: userPage(visit, payload.user) };
  } catch (error) {
    if (error instanceof PayloadError) return DASHBOARD;
    throw error;
  }
}
