import { afterEach, beforeEach, describe } from 'vitest';
import { describeAdding } from './adding.ts';
import { describeFailing } from './failing.ts';
import { describeFusions } from './fusions.ts';
import type { BackendUnderTest, Place } from './harness.ts';
import { describeLocks } from './locks.ts';
import { describeOperating } from './operating.ts';
import { describeOutcomes } from './outcomes.ts';
import { describeStalls } from './stalls.ts';

/** What every back end of the queues must do. */
export function describeQueue(backend: BackendUnderTest): void {
  describe(`queues on ${backend.name}`, () => {
    let place: Place | undefined;
    beforeEach(async () => {
      place = await backend.newPlace();
    });
    afterEach(() => place?.dispose());
    const here = () => {
      if (place === undefined) throw new Error('there is no place to test in');
      return place;
    };

    describe('adding', () => describeAdding(here));
    describe('outcomes', () => describeOutcomes(here));
    describe('failing', () => describeFailing(here));
    describe('fusions', () => describeFusions(here));
    describe('locks and stopping', () => describeLocks(here));
    describe('jobs whose workers end', () => describeStalls(here));
    describe('operating', () => describeOperating(here));
  });
}
