import { describe, expect, it } from 'vitest';
import { isRepeat, isSameWording } from './fast-lane.ts';

describe('a repeat', () => {
  it.each([
    [['Ada keeps hens.', 'ada keeps  hens'], 'Ada keeps hens.'],
    [['Ada keeps hens.', 'Ben has a boat!'], 'Ada keeps hens. Ben has a boat.'],
    [['Ada keeps hens. Ben has a boat.', 'Ben has a boat.'], 'Ada keeps hens. Ben has a boat.'],
  ])('holds all sentences of its sources and no other: %j', (sources, statement) => {
    expect(isRepeat(sources, statement)).toBe(true);
  });

  it.each([
    [['Ada keeps hens.', 'Ben has a boat.'], 'Ada keeps hens.'],
    [['Ada keeps hens.'], 'Ada keeps hens. Ben has a boat.'],
    [['Ada keeps hens.'], 'Ada keeps no hens.'],
    [['Ada keeps hens. She sells eggs.'], 'Ada keeps hens, she sells eggs.'],
    [[], 'Ada keeps hens.'],
    [['Ada keeps hens.', ' '], 'Ada keeps hens.'],
    [['Ada keeps hens.'], ''],
  ])('is nothing else: %j', (sources, statement) => {
    expect(isRepeat(sources, statement)).toBe(false);
  });
});

describe('the same wording', () => {
  it.each([
    ['Ada keeps hens.', 'ada keeps hens'],
    ['Ada keeps an owl, a hen.', 'Ada keeps a owl a hen'],
    ['The hens of Ada lay eggs', 'Hens of Ada lay eggs.'],
    ['She said “no”.', 'She said "no"'],
  ])('whatever case, spaces, marks and "the": %s', (one, other) => {
    expect(isSameWording(one, other)).toBe(true);
  });

  it.each([
    ['Ada takes vitamin A.', 'Ada takes vitamin.'],
    ['Ada keeps hens?', 'Ada keeps hens.'],
    ['It costs 1.5 euros', 'It costs 15 euros'],
    ['It was -5 degrees', 'It was 5 degrees'],
    ['Ada keeps hens', 'Ada keeps no hens'],
    ['', ''],
    ['.', '!'],
  ])('and nothing that says something: %s', (one, other) => {
    expect(isSameWording(one, other)).toBe(false);
  });
});
