import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CODE_POINT } from '../../../../test/fixtures/code-point.ts';
import { escapeHtml, Html, html, isOwnAddress, joined } from './html.ts';

const ENTITY: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
const decoded = (text: string) =>
  text.replace(/&(amp|lt|gt|quot|#39);/g, (_all, name: string) => ENTITY[name] ?? '');
/** Texts that mean something to somebody who reads markup. */
const nasty = fc.oneof(
  fc.string({ unit: CODE_POINT }),
  fc
    .array(
      fc.constantFrom(
        '<',
        '>',
        '"',
        "'",
        '&',
        '/',
        '=',
        '`',
        '<script>',
        '--',
        ']]>',
        '&lt;',
        '\u202e',
        'on',
        ' ',
      ),
    )
    .map((parts) => parts.join('')),
);

describe('a template', () => {
  it('shows any text as text, between tags and in attributes', () => {
    fc.assert(
      fc.property(nasty, nasty, (inside, attribute) => {
        const text = html`<p title="${attribute}">${inside}</p>`.toString();
        const match = /^<p title="([^"<>']*)">([^"<>']*)<\/p>$/.exec(text);
        expect(match).not.toBeNull();
        expect([decoded(match![1]!), decoded(match![2]!)]).toEqual([attribute, inside]);
      }),
    );
  });

  it('escapes once however deep it stands', () => {
    fc.assert(
      fc.property(nasty, (text) => {
        const deep = html`<div>${[html`<b>${text}</b>`, [html`<i>${text}</i>`, null]]}</div>`.toString();
        expect(deep).toBe(`<div><b>${escapeHtml(text)}</b><i>${escapeHtml(text)}</i></div>`);
      }),
    );
  });

  it('leaves nothing of what is not there, and all of a zero', () => {
    expect(html`<p>${null}${undefined}${false}${0}${''}</p>`.toString()).toBe('<p>0</p>');
    expect(html`<option value="a" ${true && html`selected`} ${false}>A</option>`.toString()).toBe(
      '<option value="a" selected >A</option>',
    );
    expect(joined(['a', html`<b>b</b>`, '<'], html`, `).toString()).toBe('a, <b>b</b>, &lt;');
  });

  it('lets no address lead out of the service', () => {
    for (const address of ['/a?b=c#d', '?a', '#a', '']) {
      expect(html`<a href="${address}">x</a>`.toString()).toContain(`href="${address}"`);
    }
    const elsewhere = [
      'javascript:alert(1)',
      '//x.test',
      '/\\x.test',
      'https://x.test',
      ' /a',
      '/a\nb',
      'data:,',
    ];
    for (const address of elsewhere) {
      expect(isOwnAddress(address)).toBe(false);
      expect(() => html`<a href="${address}">x</a>`).toThrow('leads elsewhere');
      expect(() => html`<form action="${address}"></form>`).toThrow('leads elsewhere');
    }
    fc.assert(
      fc.property(nasty, (text) => {
        const resolved = URL.canParse(text, 'http://own.test/a') ? new URL(text, 'http://own.test/a') : null;
        if (isOwnAddress(text)) expect(resolved === null || resolved.origin === 'http://own.test').toBe(true);
      }),
    );
  });

  it('is refused where a value could become structure', () => {
    const text = 'x';
    expect(() => html`<p class=${text}>a</p>`).toThrow('without quotes');
    expect(() => html`<p ${text}>a</p>`).toThrow('among attributes');
    expect(() => html`<${text}>a`).toThrow('without quotes');
    expect(() => html`<script>${text}</script>`).toThrow('inside of a script');
    expect(() => html`<style>${text}</style>`).toThrow('inside of a script or a style');
    expect(() => html`<p title="${html`<b>x</b>`}">a</p>`).toThrow('markup inside of an attribute');
    expect(() => html`<p title="${text}`).toThrow('ends inside of a tag');
  });

  it('cannot be imitated', () => {
    expect(() => new Html(Symbol('html') as never, '<b>')).toThrow('made by the html template only');
    const imitation = { toString: () => '<b>' } as unknown as string;
    expect(html`<p>${imitation}</p>`.toString()).toBe('<p>&lt;b&gt;</p>');
  });
});
