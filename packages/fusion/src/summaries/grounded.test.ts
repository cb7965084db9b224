import { describe, expect, it } from 'vitest';
import { readProfile } from '../reading/profile.ts';
import { isGrounded } from './grounded.ts';

const SOURCES = ['Ich reise mit dem Zug nach Oslo.', 'I paid 30 euros.'].map(readProfile);

describe('isGrounded', () => {
  it.each([
    'Der Nutzer reist nach Oslo.',
    "L'utilisateur : Oslo.",
    'El usuario: Oslo.',
    'Beide: Oslo, 30 euros.',
    'Пользователь: Oslo.',
    'The user paid €30.',
    '',
  ])('lets stand %j', (text) => {
    expect(isGrounded(text, SOURCES)).toBe(true);
  });

  it.each(['Der Nutzer reist nach Bergen.', 'The user paid 31 euros.', 'Lena: Oslo.', 'She did not pay.'])(
    'finds something invented in %j',
    (text) => {
      expect(isGrounded(text, SOURCES)).toBe(false);
    },
  );

  it('grounds nothing without sources', () => {
    expect(isGrounded('Oslo: 30', [])).toBe(false);
  });
});
