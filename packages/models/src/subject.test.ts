import { describe, expect, it } from 'vitest';
import { subjectOf } from './subject.ts';

describe('subjectOf', () => {
  it.each([
    ['Mara works at Halden', 'Mara '],
    ['Mara Lind works at Halden', 'Mara Lind '],
    ["Mara's sister plays tennis", "Mara's sister "],
    ['The user lives in Dublin', 'The user '],
    ['User prefers tea', 'User '],
    ['I work at a bakery', 'I '],
    ['The dog eats grass', 'The dog '],
    ['Dr. Okafor is kind', 'Dr. Okafor '],
    ['Mara never eats meat', 'Mara '],
    ['Prefers window seats', 'Prefers '],
    ['Jonas trinkt Tee', 'Jonas '],
    ['Der Nutzer wohnt in Bern', 'Der Nutzer '],
    ['Анна играет в шахматы', 'Анна '],
    ['健太はラーメンが好き', '健太は'],
    ['用户喜欢茶', '用户'],
    ['사용자는 차를 좋아한다', '사용자는 '],
    ['المستخدم يحب الشاي', 'المستخدم '],
  ])('finds the subject of "%s"', (text, prefix) => expect(subjectOf(text)?.prefix).toBe(prefix));

  it.each([
    'Mara and Tom like jam',
    'Mara, a baker, works at night',
    'Mara from Oslo works at night',
    'The owner of the bar works at night',
    'The old phone broke',
    'The user interface is dark',
    'Best friend is Tom',
    'Old cars rust',
    'Coffee beans come from Ethiopia',
    'She plays tennis',
    'If it rains Mara takes the bus',
    'Never call before ten',
    'No pets allowed',
    'Mara',
    '',
    'works at night',
    'Works at night',
    '用户的猫很大',
    '王芳喜欢茶',
    'Anna aus Oslo mag Tee',
    '3 May is a holiday',
  ])('finds none in "%s"', (text) => expect(subjectOf(text)).toBeNull());

  it('knows one user under two names, and tells two people of one first name apart', () => {
    expect(subjectOf('The user likes tea')?.key).toBe(subjectOf('User works at home')?.key);
    expect(subjectOf('Mara Lind likes tea')?.key).not.toBe(subjectOf('Mara Holm likes tea')?.key);
  });
});
