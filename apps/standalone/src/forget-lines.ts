import type { ForgetResult, ForgetWhy, Removed, RemovedFromWorkspaces } from '@slowwave/db';
import { printable } from './explain-lines.ts';

/** Ids shown of one sort; --json has them all. */
const SHOWN = 20;

const WHY: Record<ForgetWhy, string> = {
  asked: 'asked for',
  session: 'said in the session',
  duplicate: 'says the same, and was merged with it',
  derived: 'made of it',
  user: "the user's",
};

/** What went beside the memories, in the order in which people look for it. */
const COUNTED: [
  name: Exclude<keyof Removed, 'memories' | 'tables' | 'workspaces'>,
  one: string,
  many: string,
][] = [
  ['sessions', 'session', 'sessions'],
  ['messages', 'message', 'messages'],
  ['summaries', 'summary of a session', 'summaries of sessions'],
  ['relations', 'relation', 'relations'],
  ['conflicts', 'conflict', 'conflicts'],
  ['embeddings', 'vector', 'vectors'],
  ['neighbours', 'neighbourhood', 'neighbourhoods'],
  ['fusions', 'entry of the ledger', 'entries of the ledger'],
  ['answers', 'answer of a model', 'answers of models'],
  ['verdicts', 'judged pair', 'judged pairs'],
  ['recallEvents', 'question', 'questions'],
  ['images', 'image of the journal', 'images of the journal'],
  ['changeSets', 'change that can no longer be undone', 'changes that can no longer be undone'],
  ['feedback', 'link of feedback to a session', 'links of feedback to a session'],
  ['profiles', 'profile, to be learned anew', 'profiles, to be learned anew'],
];

/** What went from workspaces. */
const OF_WORKSPACES: [name: keyof RemovedFromWorkspaces, one: string, many: string][] = [
  ['blocks', 'imported block, never to be imported again', 'imported blocks, never to be imported again'],
  ['lines', 'line of a workspace', 'lines of workspaces'],
  ['documents', 'document that lost what said it', 'documents that lost what said it'],
  ['versions', 'earlier content of a document', 'earlier contents of documents'],
];

/** What was forgotten, or would be, for people: memories with their reason, the rest counted. */
export function forgetLines(name: string, { status, removed, reopened, mentions }: ForgetResult): string[] {
  const done = status === 'done';
  const left = [
    ...mentions.memories.map((id) => `memory ${id}`),
    ...mentions.scheduledItems.map((id) => `scheduled item ${id}`),
    ...mentions.goals.map((id) => `goal ${id}`),
    ...(mentions.documents ?? []).map(
      ({ workspace, path }) => `document ${printable(path)} of the workspace ${printable(workspace)}`,
    ),
  ];
  return [
    `${name}: ${done ? 'forgotten' : 'would be forgotten, nothing is written yet'}`,
    ...listed(
      removed.memories.map(({ id, why }) => `- ${id}  ${WHY[why]}`),
      done ? 'gone' : 'that would go',
      ['memory', 'memories'],
    ),
    ...counted(COUNTED, removed),
    ...(removed.workspaces ? counted(OF_WORKSPACES, removed.workspaces) : []),
    ...listed(
      reopened.map((id) => `+ ${id}`),
      'latest again',
      ['memory', 'memories'],
    ),
    ...listed(
      left.map((what) => `! ${what}`),
      'that still hold the text, for you to look at',
      ['thing', 'things'],
    ),
  ];
}

/** Those of the counts that are not zero. */
function counted<Name extends string>(
  words: readonly [name: Name, one: string, many: string][],
  counts: Readonly<Record<Name, number>>,
): string[] {
  return words
    .filter(([name]) => counts[name] > 0)
    .map(([name, one, many]) => `  ${counts[name]} ${counts[name] === 1 ? one : many}`);
}

function listed(lines: readonly string[], what: string, [one, many]: [string, string]): string[] {
  if (lines.length === 0) return [];
  const more = lines.length - SHOWN;
  return [
    `  ${lines.length} ${lines.length === 1 ? one : many} ${what}:`,
    ...lines.slice(0, SHOWN).map((line) => `    ${line}`),
    ...(more > 0 ? [`    … and ${more} more (--json lists them)`] : []),
  ];
}
