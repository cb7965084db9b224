import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { channelName, readCommand, withoutLeadingComments } from './pglite-sql.ts';

describe('readCommand', () => {
  it.each([
    ['BEGIN', { kind: 'begin', modes: '' }],
    [' begin ; ', { kind: 'begin', modes: '' }],
    ['BEGIN TRANSACTION', { kind: 'begin', modes: '' }],
    ['begin work;', { kind: 'begin', modes: '' }],
    ['START TRANSACTION READ ONLY', { kind: 'begin', modes: 'READ ONLY' }],
    ['BEGIN ISOLATION LEVEL SERIALIZABLE;', { kind: 'begin', modes: 'ISOLATION LEVEL SERIALIZABLE' }],
    ['-- why\n/* a /* nested */ one */ BEGIN', { kind: 'begin', modes: '' }],
    ['COMMIT', { kind: 'commit' }],
    ['end transaction;', { kind: 'commit' }],
    ['-- done\nCOMMIT WORK', { kind: 'commit' }],
    ['ROLLBACK', { kind: 'rollback' }],
    ['abort', { kind: 'rollback' }],
    ['LISTEN bullmq_jobs;\n', { kind: 'listen', channel: 'bullmq_jobs' }],
    ['-- fixed name\n-- (portable)\nLISTEN "A ""b";', { kind: 'listen', channel: '"A ""b"' }],
    ['UNLISTEN *', { kind: 'unlisten', channel: null }],
    ['unlisten Jobs', { kind: 'unlisten', channel: 'Jobs' }],
  ])('reads %j', (text, expected) => {
    expect(readCommand(text)).toEqual(expected);
  });

  it.each([
    'SELECT 1',
    'ROLLBACK TO SAVEPOINT s',
    'COMMIT AND CHAIN',
    'SAVEPOINT begin',
    "SELECT 'BEGIN'",
    'beginning',
    'LISTENER',
    'COMMIT PREPARED $1',
    '-- BEGIN\nSELECT 1',
    '/* COMMIT',
    '',
  ])('leaves %j to the database', (text) => {
    expect(readCommand(text)).toEqual({ kind: 'other' });
  });

  it('refuses a transaction that begins in the middle of a text', () => {
    expect(() => readCommand('BEGIN; SELECT 1')).toThrow('a statement of its own');
  });

  it('finds the first word behind any mixture of white space and comments', () => {
    const noise = fc.constantFrom(
      ' ',
      '\n',
      '\t',
      '-- BEGIN; ROLLBACK\n',
      '/* LISTEN x; /* -- */ */',
      '/**/',
    );
    fc.assert(
      fc.property(fc.array(noise), (parts) => {
        expect(withoutLeadingComments(`${parts.join('')}COMMIT`)).toBe('COMMIT');
      }),
    );
  });
});

describe('channelName', () => {
  it('folds plain names and unquotes quoted ones', () => {
    expect(channelName('Jobs')).toBe('jobs');
    expect(channelName('"Jo""bs"')).toBe('Jo"bs');
  });
});
