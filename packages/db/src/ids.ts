import { createHash, randomBytes } from 'node:crypto';
import type { Candidate } from '@slowwave/fusion';

function uuidOf(bytes: Buffer): string {
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}

/** Lays a 48-bit time and 74 other bits out as UUIDv7 (RFC 9562). */
function uuidV7(ms: number, rest: Buffer): string {
  const bytes = Buffer.alloc(16);
  bytes.writeUIntBE(Math.max(0, Math.min(ms, 2 ** 48 - 1)), 0, 6);
  rest.copy(bytes, 6, 0, 10);
  bytes[6] = (bytes[6]! & 0x0f) | 0x70;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return uuidOf(bytes);
}

/** A new UUIDv7 for a thing of the given time. */
export function newId(ms: number): string {
  return uuidV7(ms, randomBytes(10));
}

const sha256 = (...parts: string[]): Buffer => {
  const hash = createHash('sha256');
  // Length-prefixed, so that no two lists of parts run into each other.
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:`).update(part);
  return hash.digest();
};

/** SHA-256 of a memory's content, hex. */
export function contentHashOf(content: string): string {
  return createHash('sha256').update(content, 'utf8').digest('hex');
}

/** The same outside thing always gets the same UUIDv7: its time and a hash of its names. */
export function stableId(ms: number, ...names: string[]): string {
  return uuidV7(ms, sha256('stable-id', ...names));
}

function memberPairs(members: readonly Pick<Candidate, 'id' | 'contentHash'>[]): string[] {
  return members.map((member) => `${member.id} ${member.contentHash}`).sort();
}

/** Hash of what would be fused, without model and prompt: a set that was fused, undone or rejected is not tried again. */
export function sourceSetOf(members: readonly Pick<Candidate, 'id' | 'contentHash'>[]): string {
  return sha256('source-set', ...memberPairs(members)).toString('hex');
}

export interface FusionIdentity {
  tenant: string;
  user: string;
  /** The step, as in "deep.fusion". */
  step: string;
  promptVersion: string;
  model: string;
}

/** Key of a fusion: the same sources, for the same user, step, prompt and model are one fusion, whoever plans it and when. */
export function fusionKeyOf(
  identity: FusionIdentity,
  members: readonly Pick<Candidate, 'id' | 'contentHash'>[],
): string {
  const { tenant, user, step, promptVersion, model } = identity;
  return sha256('fusion', '1', tenant, user, step, promptVersion, model, ...memberPairs(members)).toString(
    'hex',
  );
}

/** The derived memory's id follows from the key; its time is that of its youngest source. */
export function derivedIdOf(key: string, members: readonly Pick<Candidate, 'id'>[]): string {
  const newest = members.map((member) => Number.parseInt(member.id.replaceAll('-', '').slice(0, 12), 16));
  return uuidV7(Math.max(0, ...newest), sha256('derived', key));
}

/** Key of one statement of a fusion: the same sources in the same fusion are one statement, however it is worded. */
export function statementKeyOf(request: string, members: readonly Pick<Candidate, 'id'>[]): string {
  return sha256('statement', request, ...members.map(({ id }) => id).sort()).toString('hex');
}
