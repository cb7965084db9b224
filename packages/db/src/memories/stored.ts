import {
  type Band,
  bandOf,
  type LearnedFrom,
  type MemoryCategory,
  type MemoryType,
  type Origin,
  type Visibility,
} from '@slowwave/fusion';
import { type SQL, sql } from 'drizzle-orm';
import { msOf } from '../instants.ts';
import { prominenceOf } from './candidates.ts';

/** A memory as lists show it. Instants in epoch ms. */
export interface StoredMemory {
  id: string;
  externalId: string | null;
  user: string;
  content: string;
  category: MemoryCategory;
  memoryType: MemoryType;
  /** 1 to 10. */
  importance: number;
  confidence: number;
  trust: number;
  origin: Origin;
  learnedFrom: LearnedFrom;
  visibility: Visibility;
  workspace: string | null;
  session: string | null;
  isLatest: boolean;
  version: number;
  /** 0 to 1, at the instant that was asked about. */
  prominence: number;
  band: Band;
  documentDate: number;
  eventDate: number | null;
  validFrom: number | null;
  validTo: number | null;
  expiresAt: number | null;
  archivedAt: number | null;
  supersededBy: string | null;
  createdAt: number;
  updatedAt: number;
}

/** The columns of a StoredMemory but its band, of a row called m. @param at epoch ms */
export function storedColumns(at: number): SQL {
  return sql`m.id, m.external_id as "externalId", m.user_id as "user", m.content, m.category, m.memory_type as "memoryType",
    m.importance, m.confidence, m.trust, m.origin, m.learned_from as "learnedFrom", m.visibility, m.workspace, m.session,
    m.is_latest as "isLatest", m.version, ${prominenceOf(at)} as prominence, ${msOf('m.document_date')} as "documentDate",
    ${msOf('m.event_date')} as "eventDate", ${msOf('m.valid_from')} as "validFrom", ${msOf('m.valid_to')} as "validTo",
    ${msOf('m.expires_at')} as "expiresAt", ${msOf('m.archived_at')} as "archivedAt", m.superseded_by as "supersededBy",
    ${msOf('m.created_at')} as "createdAt", ${msOf('m.updated_at')} as "updatedAt"`;
}

export function withBand<Row extends { prominence: number }>(row: Row): Row & { band: Band } {
  return { ...row, band: bandOf(row.prominence) };
}
