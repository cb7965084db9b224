import { userHashOf } from '@slowwave/db';
import { seededRandom, seedOf } from '../random.ts';
import { pick, shareOut } from './spread.ts';
import { type Groups, PLACES } from './wake-ups.ts';
import type { Zone } from './zones.ts';

/** One user as an object of their own. */
export interface Person {
  tenant: string;
  user: string;
  zone: number;
  rhythm: number;
  /** As the product reckons it. */
  hash: number;
}

/** Users shared out over zones by their people, and within a zone evenly over rhythms and places: as many drawn by chance would nearly be. */
export function spreadUsers(users: number, zones: readonly Zone[], rhythms: number): Groups {
  const perZone = shareOut(
    users,
    zones.map(({ people }) => people),
  );
  const even = (parts: number) => Array.from({ length: parts }, () => 1);
  return {
    zones: zones.map(({ name }) => name),
    byRhythm: perZone.map((total) => shareOut(total, even(rhythms))),
    byPlace: perZone.map((total) => shareOut(total, even(PLACES))),
  };
}

/** Users drawn one by one. */
export function drawPeople(users: number, zones: readonly Zone[], rhythms: number, seed: number): Person[] {
  const random = seededRandom(seedOf(seed, 'people'));
  const weights = zones.map(({ people }) => people);
  return Array.from({ length: users }, (_, n) => {
    const [tenant, user] = [`tenant-${n % 7}`, `user-${n}`];
    const [zone, rhythm] = [pick(weights, random()), Math.floor(random() * rhythms)];
    return { tenant, user, zone, rhythm, hash: userHashOf(tenant, user) };
  });
}

/** The same people as groups. */
export function groupsOf(people: readonly Person[], zones: readonly Zone[], rhythms: number): Groups {
  const none = (parts: number) => zones.map(() => Array.from({ length: parts }, () => 0));
  const groups = { zones: zones.map(({ name }) => name), byRhythm: none(rhythms), byPlace: none(PLACES) };
  for (const { zone, rhythm, hash } of people) {
    groups.byRhythm[zone]![rhythm]! += 1;
    groups.byPlace[zone]![Math.floor(hash * PLACES)]! += 1;
  }
  return groups;
}
